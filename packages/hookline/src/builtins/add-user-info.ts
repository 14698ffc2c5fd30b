import { defineBuiltin } from '../core/index.ts'
import { eventsHonouring, noArgs } from './parts.ts'

export const addUserInfo = defineBuiltin({
  name: 'add_user_info',
  doc: 'Tells the model who uses this machine, and the machine’s name.',
  events: eventsHonouring('context', 'session_start'),
  args: noArgs,
  answer(_event, _args, kit) {
    const { user, fullName, hostname } = kit.machine
    const known = [
      ['User', user],
      ['Full name', fullName],
      ['Hostname', hostname],
    ].filter(([, value]) => value)
    if (known.length === 0) return undefined
    return { context: [`Current user:\n\n${known.map(([label, value]) => `${label}: ${value}`).join('\n')}`] }
  },
  does: ['addsContext'],
  examples: [
    {
      title: 'all that is known',
      given: { machine: { user: 'ada', fullName: 'Ada Lovelace', hostname: 'engine' } },
      event: 'session_start',
      payload: {},
      expect: { context: ['Current user:\n\nUser: ada\nFull name: Ada Lovelace\nHostname: engine'] },
    },
  ],
})

import { defineBuiltin } from '../core/index.ts'
import { eventsHonouring, noArgs } from './parts.ts'

export const addDate = defineBuiltin({
  name: 'add_date',
  doc: 'Tells the model today’s date, by the clock and the time zone of this machine.',
  events: eventsHonouring('context', 'turn_start'),
  args: noArgs,
  answer: (_event, _args, kit) => ({ context: [`Today's date: ${dateOf(kit.now())}`] }),
  does: ['addsContext'],
  examples: [
    {
      title: 'the date, every turn',
      given: { now: '2026-03-09T12:00:00' },
      event: 'turn_start',
      payload: {},
      expect: { context: ["Today's date: 2026-03-09"] },
    },
  ],
})

function dateOf(now: Date): string {
  const part = (value: number) => String(value).padStart(2, '0')
  return `${now.getFullYear()}-${part(now.getMonth() + 1)}-${part(now.getDate())}`
}

import { defineBuiltin } from '../core/index.ts'
import { eventsHonouring, noArgs } from './parts.ts'

const mostEntries = 100

export const addDirectoryListing = defineBuiltin({
  name: 'add_directory_listing',
  doc: 'Shows the model the top-level entries of the working directory, in alphabetical order; dot-files are left out, at most 100 are shown.',
  events: eventsHonouring('context', 'session_start'),
  args: noArgs,
  async answer(_event, _args, kit) {
    const entries = (await kit.list(kit.cwd))?.filter(({ name }) => !name.startsWith('.')) ?? []
    if (entries.length === 0) return undefined
    const names = entries.map(({ name, directory }) => (directory ? `${name}/` : name)).sort()
    const shown = names.slice(0, mostEntries).map((name) => `- ${name}`)
    if (names.length > mostEntries) shown.push(`... and ${names.length - mostEntries} more`)
    return { context: [`Top-level entries in ${kit.cwd}:\n\n${shown.join('\n')}`] }
  },
  does: ['addsContext'],
  examples: [
    {
      title: 'files and directories',
      given: { files: { 'README.md': '', 'src/a.ts': '', '.env': '' } },
      event: 'session_start',
      payload: {},
      expect: { context: ['Top-level entries in {cwd}:\n\n- README.md\n- src/'] },
    },
    { title: 'an empty directory', event: 'session_start', payload: {}, expect: undefined },
  ],
})

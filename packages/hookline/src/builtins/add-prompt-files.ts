import { dirname, join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { type BuiltinKit, defineBuiltin } from '../core/index.ts'
import { eventsHonouring, required, texts } from './parts.ts'

/** More than any instructions a person wrote. */
const fileLimit = 256 * 1024

export const addPromptFiles = defineBuiltin({
  name: 'add_prompt_files',
  doc: 'Adds the contents of instruction files: for each name, the nearest one from the working directory upwards, and the one in the home directory.',
  events: eventsHonouring('context', 'turn_start'),
  args: z.strictObject({ files: required(texts.check(z.minLength(1)), 'Names of files, such as `AGENTS.md`.') }),
  fromList: (files) => ({ files }),
  async answer(_event, { files }, kit) {
    const paths = new Set((await Promise.all(files.map((name) => find(name, kit)))).flat())
    const contents = await Promise.all(
      [...paths].map(async (path) => ({ path, text: await kit.read(path, fileLimit) })),
    )
    const context = contents
      .filter(({ text }) => text?.trim())
      .map(({ path, text }) => `Instructions from: ${path}\n${text}`)
    return context.length > 0 ? { context } : undefined
  },
  does: ['addsContext', 'quotes'],
  examples: [
    {
      title: 'the project’s file and the user’s own',
      given: { files: { 'GUIDE.md': 'Write tests.' }, homeFiles: { 'GUIDE.md': 'Be brief.' } },
      event: 'turn_start',
      payload: {},
      args: ['GUIDE.md'],
      expect: {
        context: ['Instructions from: {cwd}/GUIDE.md\nWrite tests.', 'Instructions from: {home}/GUIDE.md\nBe brief.'],
      },
    },
    { title: 'no such file, no context', event: 'turn_start', payload: {}, args: ['NONE.md'], expect: undefined },
  ],
})

async function find(name: string, kit: BuiltinKit): Promise<string[]> {
  const atHome = resolve(kit.home, name)
  const nearest = await findUpwards(name, kit)
  return [nearest, (await kit.kind(atHome)) === 'file' ? atHome : undefined].filter((path) => path !== undefined)
}

async function findUpwards(name: string, kit: BuiltinKit): Promise<string | undefined> {
  for (let directory = kit.cwd; ; directory = dirname(directory)) {
    const path = join(directory, name)
    if ((await kit.kind(path)) === 'file') return path
    if (dirname(directory) === directory) return undefined
  }
}

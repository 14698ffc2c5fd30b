import { basename, relative, sep } from 'node:path'
import * as z from 'zod/mini'
import { type BuiltinKit, defineBuiltin } from '../core/index.ts'
import { absolute } from './judge.ts'
import { required, text } from './parts.ts'
import { matchesName } from './patterns.ts'
import { pathsOf } from './tools.ts'

export const formatOnWrite = defineBuiltin({
  name: 'format_on_write',
  liveOutput: true,
  doc: 'Runs a formatter on each file that a tool wrote, and tells the model when that changed it.',
  events: ['post_tool_use'],
  args: z.strictObject({
    formatters: required(
      z.record(text, z.array(text).check(z.minLength(1))),
      'By file name, such as `*.ts`: the program and its arguments; the file is added at the end.',
    ),
  }),
  async answer({ payload, synthetic }, { formatters }, kit) {
    if (payload.tool_error === true || synthetic) return undefined
    const written = pathsOf(payload, kit).filter(({ access }) => access === 'write')
    const context: string[] = []
    for (const { path } of written) {
      const formatter = Object.entries(formatters).find(([glob]) => matchesName([glob], basename(path)))?.[1]
      const problem = formatter && (await format(absolute(path, kit), formatter, kit))
      if (problem) context.push(problem)
    }
    return context.length > 0 ? { context } : undefined
  },
  does: ['runs', 'writes', 'addsContext', 'quotes'],
  examples: [
    {
      title: 'a file that needed it',
      given: { files: { 'b.txt': '2\n1\n' } },
      event: 'post_tool_use',
      payload: { tool_name: 'write_file', tool_input: { path: 'b.txt', content: '' } },
      args: { formatters: { '*.txt': ['sort', '-o', '{cwd}/b.txt'] } },
      expect: { context: ['b.txt was formatted with sort after you wrote it. Read it again before you edit it.'] },
    },
    {
      title: 'a file of another kind',
      given: { files: { 'b.md': 'x' } },
      event: 'post_tool_use',
      payload: { tool_name: 'write_file', tool_input: { path: 'b.md', content: '' } },
      args: { formatters: { '*.ts': ['prettier', '--write'] } },
      expect: undefined,
    },
  ],
})

/** Only inside the working directory: a formatter has no business elsewhere. */
async function format(
  path: string,
  [program = '', ...args]: readonly string[],
  kit: BuiltinKit,
): Promise<string | undefined> {
  const real = await kit.realpath(path)
  if (!real.startsWith(`${await kit.realpath(kit.cwd)}${sep}`) || (await kit.kind(real)) !== 'file') return undefined
  const name = relative(kit.cwd, path)
  const before = await kit.read(real)
  const done = await kit.exec(program, [...args, real])
  if (!done) return `${program} is not installed, so ${name} was not formatted.`
  if (done.exit !== 0)
    return `${program} could not format ${name}: ${(done.stderr || done.stdout).trim().slice(0, 1_000)}`
  if ((await kit.read(real)) === before) return undefined
  return `${name} was formatted with ${program} after you wrote it. Read it again before you edit it.`
}

import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import * as z from 'zod/mini'
import { type BuiltinKit, byEvent, defineBuiltin, HookFailure } from '../core/index.ts'
import { git } from './git.ts'
import { deny, optional, required, text, texts } from './parts.ts'
import { matchesName } from './patterns.ts'

const args = z.strictObject({
  command: required(z.array(text).check(z.minLength(1)), 'The program that runs the tests, and its arguments.'),
  files: optional(texts, 'They run only when a file of one of these names has changes that are not committed: `*.ts`.'),
})
type Args = z.infer<typeof args>

const shownBytes = 4_000

export const requireTestsOnStop = defineBuiltin({
  name: 'require_tests_on_stop',
  doc: 'Runs your tests when the agent wants to stop, and sends it back with what failed. Skips them when no file has changed since the session began or since they last passed.',
  ...byEvent<Args>({
    async stop({ synthetic }, { command, files }, kit) {
      const [program = '', ...rest] = command
      if (synthetic) return undefined
      if (files && !(await hasChanged(files, kit))) return undefined
      const state = await workingTree(kit)
      // Where nothing can be remembered, they run every time.
      const known = [began, passedBy(command)].map((key) => kit.recall<string>(key).catch(() => undefined))
      if (state !== undefined && (await Promise.all(known)).includes(state)) return undefined
      const done = await kit.exec(program, rest, { env: { CI: '1' } })
      if (!done) throw new HookFailure('spawn', `${program} cannot be started.`)
      if (done.exit === 0) {
        await kit.update(passedBy(command), () => state ?? '').catch(() => {})
        return undefined
      }
      const output = `${done.stdout}\n${done.stderr}`.trim()
      return {
        decision: deny(
          `The tests fail (${[program, ...rest].join(' ')}, exit ${done.exit}). Fix them before you stop:\n${ending(output)}`,
        ),
      }
    },
    async session_start(_event, _args, kit) {
      const state = await workingTree(kit)
      // A session that is resumed or compacted starts again, with changes that nobody has tested.
      if (state !== undefined) await kit.update<string>(began, (first) => first ?? state)
      return undefined
    },
  }),
  args,
  fromList: (command) => ({ command }),
  does: ['runs', 'quotes'],
  examples: [
    {
      title: 'they fail',
      event: 'stop',
      payload: { response: 'Done.' },
      args: { command: ['sh', '-c', 'echo "1 failed: sums"; exit 1'] },
      expect: {
        decision: deny(
          'The tests fail (sh -c echo "1 failed: sums"; exit 1, exit 1). Fix them before you stop:\n1 failed: sums',
        ),
      },
    },
    { title: 'they pass', event: 'stop', payload: {}, args: ['true'], expect: undefined },
    {
      title: 'nothing changed that they are about',
      given: { files: { 'a.ts': '1' }, commits: ['first'], edits: { 'notes.md': 'x' } },
      event: 'stop',
      payload: {},
      args: { command: ['false'], files: ['*.ts'] },
      expect: undefined,
    },
    {
      title: 'nothing changed since the session began',
      given: { files: { 'a.txt': '1' }, commits: ['first'] },
      before: [{ event: 'session_start', payload: {} }],
      event: 'stop',
      payload: {},
      args: ['false'],
      expect: undefined,
    },
  ],
})

/** Where git cannot say, they run. */
async function hasChanged(patterns: readonly string[], kit: BuiltinKit): Promise<boolean> {
  const status = await git(kit, ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all'])
  if (status === undefined) return true
  const names = status
    .split('\0')
    .filter(Boolean)
    .map((line) => basename(line.slice(3)))
  return names.some((name) => matchesName(patterns, name))
}

const began = 'began'
/** Files that one command has passed may still fail another. */
const passedBy = (command: readonly string[]): string => `passed ${JSON.stringify(command)}`

/** A name for how the files are now; undefined outside a repository. */
async function workingTree(kit: BuiltinKit): Promise<string | undefined> {
  const head = await git(kit, ['rev-parse', 'HEAD'])
  const status = await git(kit, ['status', '--porcelain', '-z'])
  const diff = await git(kit, ['diff', 'HEAD', '--binary'], 32 * 1024 * 1024)
  if (head === undefined || status === undefined || diff === undefined) return undefined
  const fresh = status
    .split('\0')
    .filter((line) => line.startsWith('?? '))
    .map((line) => line.slice(3))
  const sizes = await Promise.all(fresh.map(async (path) => `${path} ${await kit.size(`${kit.cwd}/${path}`)}`))
  return createHash('sha256')
    .update([head, status, diff, ...sizes].join('\0'))
    .digest('hex')
}

/** Test runners sum up at the end. */
const ending = (text: string): string => (text.length > shownBytes ? `…${text.slice(-shownBytes)}` : text)

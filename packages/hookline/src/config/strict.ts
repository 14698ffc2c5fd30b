import { type Code, HooklineError, type Note, note } from '../core/index.ts'

/** Problems that leave nothing to skip to: the file as a whole was not read. They keep their own name. */
const wholeFile: ReadonlySet<Code> = new Set<Code>([
  'config-missing',
  'config-foreign',
  'config-unsafe',
  'config-unreadable',
  'config-too-large',
  'config-syntax',
  'config-version',
  'config-dialect',
  'unknown-dialect',
])

/** Whether a lenient load says by this that something in the files does not count. A strict one would have refused. */
export const isBroken = ({ code }: Note): boolean => code === 'entry-skipped' || wholeFile.has(code)

/** Strict: one error that lists every problem. Lenient: a note for each, so that nothing is dropped silently. */
export function settle(problems: readonly Note[], strict: boolean): Note[] {
  if (!strict) return problems.map(skipped)
  if (problems.length === 0) return []
  const files = [...new Set(problems.map((problem) => problem.where?.file ?? 'code'))]
  throw new HooklineError(note('config-refused', { count: problems.length, files: files.join(', ') }), problems)
}

function skipped(problem: Note): Note {
  if (wholeFile.has(problem.code)) return problem
  const { where, hook } = problem
  const about = { ...(where && { where }), ...(hook !== undefined && { hook }) }
  return note('entry-skipped', { detail: problem.message, fix: problem.remedy }, about)
}

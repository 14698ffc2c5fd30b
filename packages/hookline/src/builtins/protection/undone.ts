/** Rules that stand in a file and in no commit: git that puts files back as they were takes them away. */
import type { BuiltinKit, CallEffects } from '../../core/index.ts'
import { programName } from '../../shell/index.ts'
import { git } from '../git.ts'
import { directoriesOf, isAbove, type Watched } from './places.ts'

/** The protected file whose changes a call would undo together with those of others; undefined: none. */
export async function undoneBy(
  { changes, runs, tracked }: CallEffects,
  { paths, cwd }: Watched,
  kit: BuiltinKit,
): Promise<string | undefined> {
  const back = changes.flatMap(({ paths, by }) => (by && putsBack.test(verbOf(by)) ? paths : []))
  const whole = runs.some((words) => forced[verbOf(words)]?.test(words.join(' ')))
  const places = directoriesOf(runs, cwd)
  const reached = (path: string) =>
    (whole && places.some((each) => isAbove(each, path))) || back.some((each) => isAbove(each, path))
  for (const path of paths.filter((each) => reached(each) && tracked(each) === true))
    if (await git(kit, ['status', '--porcelain', '--untracked-files=no', '--', path])) return path
  return undefined
}

const putsBack = /^(?:stash|reset|restore|checkout)$/

/** What makes these put back whole trees without naming one. */
const forced: Readonly<Record<string, RegExp>> = {
  checkout: / (?:-\w*f|--f)/,
  switch: / (?:-\w*f|--f|--d)/,
  'checkout-index': / (?:-\w*a|--all)/,
  'read-tree': / (?:-\w*u|--reset)/,
}

const verbOf = ([program = '', ...words]: readonly string[]): string =>
  programName(program) === 'git' ? (words.find((word) => /^[a-z][a-z-]+$/.test(word)) ?? '') : ''

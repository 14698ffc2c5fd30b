/** Links that a line makes: nothing on disk shows yet where they lead. */
import { basename, dirname, resolve } from 'node:path'
import type { CallEffects } from '../../core/index.ts'
import { programName } from '../../shell/index.ts'
import { directoriesOf, isAbove } from './places.ts'

type Change = CallEffects['changes'][number]

/**
 * The same effects with what is changed through links that the line makes itself: `ln -s ~/.config y && rm -rf y/hookline`.
 * Who makes another name for the same file (`ln a b`) may change it by that name, now or in a later call.
 */
export function throughLinks(effects: CallEffects, cwd: string): CallEffects {
  const makers = effects.changes.filter(
    ({ does, by }) => does === 'write' && by !== undefined && linksIn(by) !== 'none',
  )
  if (makers.length === 0) return effects
  const bases = directoriesOf(effects.runs, cwd)
  const names = makers.filter(({ by = [] }) => linksIn(by) === 'names')
  const same: Change[] = names.map(({ by = [] }) => ({
    does: 'write',
    paths: operandsOf(by).flatMap((each) => bases.map((base) => resolve(base, each))),
    recursive: false,
    by,
  }))
  // In the place of a link, and not behind it.
  const turned: Change[] = makers
    .filter(({ by = [] }) => by.some((word) => /^(?:-\w*[nT]\w*|--no-d.*|--no-t.*)$/.test(word)))
    .map(({ by = [] }) => ({
      does: 'write',
      paths: bases.map((base) => resolve(base, operandsOf(by).at(-1) ?? '')),
      recursive: false,
      by,
    }))
  const pointers = makers.flatMap(({ paths, by = [] }) =>
    paths.flatMap((link) => targetsOf(operandsOf(by), link).map((target) => ({ link, target, by }))),
  )
  const led = effects.changes.map((change) => ({
    ...change,
    paths: [
      ...change.paths,
      ...change.paths.flatMap((path) =>
        pointers
          .filter(({ link, by }) => by !== change.by && path !== link && isAbove(link, path))
          .map(({ link, target }) => `${target}${path.slice(link.length)}`),
      ),
    ],
  }))
  return { ...effects, changes: [...led, ...same, ...turned] }
}

/** Whether a command makes links that lead to a path, other names of a file, or neither. */
function linksIn([program = '', ...words]: readonly string[]): 'leading' | 'names' | 'none' {
  const name = programName(program)
  const has = (letter: string, long: string) =>
    words.some((word) => (/^-\w+$/.test(word) && word.includes(letter)) || (word.length > 4 && long.startsWith(word)))
  if (/^g?ln$/.test(name)) return has('s', '--symbolic') ? 'leading' : 'names'
  if (name === 'link') return 'names'
  if (!/^g?cp$/.test(name)) return 'none'
  if (has('s', '--symbolic-link')) return 'leading'
  return has('l', '--link') ? 'names' : 'none'
}

/** Without the options: what one of them means is no path that is watched. */
const operandsOf = ([, ...words]: readonly string[]): string[] => words.filter((word) => !word.startsWith('-'))

/** Where a link may lead: what is named last is the link, or the directory that it lies in. */
function targetsOf(operands: readonly string[], link: string): string[] {
  const sources = operands.length > 1 ? operands.slice(0, -1) : operands
  const same = sources.filter((each) => basename(each) === basename(link))
  return (same.length > 0 ? same : sources).map((each) => resolve(dirname(link), each))
}

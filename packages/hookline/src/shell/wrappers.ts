import { type AnyWord, type Arguments, flagValues, parseArguments, readOptions } from './arguments.ts'
import { type Wrapper, wrapperTable } from './wrapper-table.ts'

/** A command that runs another one: its own arguments, and where the inner command stands. */
export interface Wrapped<W> {
  wrapper: Wrapper
  /** The sub-command that makes it one: `exec` of `docker exec`. */
  path: readonly string[]
  args: Arguments<W>
  /** `NAME=value` words for the inner command. */
  assignments: readonly W[]
  /** The inner command: a program and its words. */
  words: readonly W[]
  /** Values of options that hold a shell script. */
  scripts: readonly W[]
}

/** How these words are read if the program is a wrapper: one reading per row of the table that fits. */
export function wrappedBy<W extends AnyWord>(program: string, words: readonly W[]): Wrapped<W>[] {
  return rowsOf(program).flatMap(({ path, wrapper }) => {
    const args = afterSubcommand(words, path, wrapper)
    if (!args) return []
    const scripts = wrapper.script ? flagValues(args, wrapper.script).filter((value) => value !== undefined) : []
    return [{ wrapper, path, args, scripts, ...innerCommand(wrapper, args) }]
  })
}

export const wrapperNames = (): string[] => [...new Set(wrapperTable.flatMap(namesOf).map(([program]) => program!))]

/** One name of a wrapper: the sub-command that must follow the program. */
interface Named {
  readonly path: readonly string[]
  readonly wrapper: Wrapper
}

/** What was looked for before. The table is not taken apart as a whole: most processes need one row of it. */
const byProgram = new Map<string, readonly Named[]>()
const mostKnown = 1_000

/** The rows of the table that begin with this program. */
export function rowsOf(program: string): readonly Named[] {
  const known = byProgram.get(program)
  if (known) return known
  const found = wrapperTable
    .filter(({ names }) => names.includes(program))
    .flatMap((wrapper) =>
      namesOf(wrapper).flatMap(([first, ...path]) => (first === program ? [{ path, wrapper }] : [])),
    )
  if (byProgram.size >= mostKnown) byProgram.clear()
  byProgram.set(program, found)
  return found
}

const namesOf = ({ names }: Wrapper): string[][] => names.split(', ').map((name) => name.split(' '))

function afterSubcommand<W extends AnyWord>(
  words: readonly W[],
  path: readonly string[],
  wrapper: Wrapper,
): Arguments<W> | undefined {
  const options = readOptions(wrapper.options ?? '')
  let rest = words
  for (const part of path) {
    const { operands } = parseArguments(rest, options, true)
    if (!part.split('|').includes(operands[0]?.text ?? '')) return undefined
    rest = operands.slice(1)
  }
  const args = parseArguments(rest, options, !wrapper.optionsOnly)
  const more = args.operands.slice(wrapper.skip ?? 0)
  // Options may also stand behind the skipped operands: `flock lock -c …`, `ssh host -- …`.
  if (!wrapper.skip || wrapper.optionsOnly || wrapper.afterDashes || !more[0]?.text?.startsWith('-')) return args
  const behind = parseArguments(more, options, true)
  const skipped = args.operands.slice(0, wrapper.skip)
  return { ...args, flags: [...args.flags, ...behind.flags], operands: [...skipped, ...behind.operands] }
}

function innerCommand<W extends AnyWord>(
  wrapper: Wrapper,
  { operands }: Arguments<W>,
): Pick<Wrapped<W>, 'assignments' | 'words'> {
  if (wrapper.optionsOnly) return { assignments: [], words: [] }
  const bare = wrapper.assignments && operands[0]?.text === '-' ? 1 : 0 // `env -` is `env -i`
  const rest = operands.slice((wrapper.skip ?? 0) + bare)
  const end = rest.findIndex((word) => !/^[^=/]+=/.test(word.text ?? word.raw ?? ''))
  const count = !wrapper.assignments ? 0 : end < 0 ? rest.length : end
  const words = rest.slice(count)
  return { assignments: rest.slice(0, count), words: wrapper.afterDashes ? behindDashes(words) : words }
}

function behindDashes<W extends AnyWord>(words: readonly W[]): readonly W[] {
  const dashes = words.findIndex((word) => word.text === '--')
  return dashes < 0 ? words : words.slice(dashes + 1)
}

import { type Arguments, flagValues, hasFlag, parseArguments, readOptions } from './arguments.ts'
import { asSource, runScript } from './builtins.ts'
import { type Handled, settled, unsettled } from './calls.ts'
import { type Field, field, type Stream, stream } from './text.ts'
import type { Call } from './types.ts'
import { callWords } from './walk.ts'
import { WRAPPERS, type Wrapper } from './wrapper-table.ts'

/** One name of a wrapper: the program, and the sub-command that must follow. */
interface Named {
  readonly path: readonly string[]
  readonly wrapper: Wrapper
}

/** What was looked for before. The table is not taken apart as a whole: a process that judges one command needs one row. */
const byProgram = new Map<string, readonly Named[]>()
const mostKnown = 1_000

function wrappersNamed(program: string): readonly Named[] {
  const known = byProgram.get(program)
  if (known) return known
  const found = WRAPPERS.filter(({ names }) => names.includes(program)).flatMap((wrapper) =>
    namesOf(wrapper).flatMap(([first, ...path]) => (first === program ? [{ path, wrapper }] : [])),
  )
  if (byProgram.size >= mostKnown) byProgram.clear()
  byProgram.set(program, found)
  return found
}

const namesOf = ({ names }: Wrapper): string[][] => names.split(', ').map((name) => name.split(' '))

export const wrapperNames = (): string[] => [...new Set(WRAPPERS.flatMap(namesOf).map(([program]) => program!))]

/** Takes a wrapper off and judges what it runs; undefined when the call is not a wrapper, or wraps nothing. */
export function unwrap(call: Call): Handled | undefined {
  for (const { path, wrapper } of wrappersNamed(call.name)) {
    const args = afterSubcommand(call.args, path, wrapper)
    const handled = args && runInner(wrapper, args, call)
    if (handled) return handled
  }
  return undefined
}

function afterSubcommand(words: readonly Field[], path: readonly string[], wrapper: Wrapper): Arguments | undefined {
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
  if (!wrapper.skip || wrapper.optionsOnly || wrapper.afterDashes || !more[0]?.text.startsWith('-')) return args
  const behind = parseArguments(more, options, true)
  const skipped = args.operands.slice(0, wrapper.skip)
  return { ...args, flags: [...args.flags, ...behind.flags], operands: [...skipped, ...behind.operands] }
}

function runInner(wrapper: Wrapper, args: Arguments, call: Call): Handled | undefined {
  // `command -v rm` only tells where rm is; with options behind the name, someone means to run it.
  const plain = args.operands.every((word) => !word.text.startsWith('-'))
  if (wrapper.prints && plain && hasFlag(args, wrapper.prints)) return settled(describe(args.operands))
  const words = innerWords(wrapper, args, call)
  const scripts = wrapper.script ? flagValues(args, wrapper.script).filter((script) => script !== undefined) : []
  const outputs = scripts.map((script) =>
    runScript(wrapper.split ? { ...script, text: `${script.text} ${asSource(words).text}` } : script, call),
  )
  if (words.length > 0 && scripts.length === 0) {
    outputs.push(
      wrapper.lastScript ? runScript(joined(words), call) : callWords(words, call.state, call.run, call.wiring),
    )
  }
  const output = outputs.at(-1)
  const harmless = wrapper.transparent?.split('|')
  const clear = harmless && args.flags.every((flag) => harmless.includes(flag.name))
  return output && (clear ? settled(output) : unsettled(output))
}

function innerWords(wrapper: Wrapper, args: Arguments, call: Call): readonly Field[] {
  if (wrapper.optionsOnly) return []
  const bare = wrapper.assignments && args.operands[0]?.text === '-' ? 1 : 0 // env - is env -i
  const skipped = args.operands.slice((wrapper.skip ?? 0) + bare)
  const words = wrapper.assignments ? skipped.slice(leadingAssignments(skipped, call)) : skipped
  return wrapper.afterDashes ? behindDashes(words) : words
}

/** `env A=1 B=2 program`: how many words are assignments. */
function leadingAssignments(words: readonly Field[], call: Call): number {
  let count = 0
  while (/^[^=/]+=/.test(words[count]?.text ?? '')) {
    const word = words[count] as Field
    const equals = word.text.indexOf('=')
    call.state.variables.set(word.text.slice(0, equals), [field(word.text.slice(equals + 1), word.taints)])
    runAssignment(word, call)
    count++
  }
  return count
}

/** An assignment behind `env` is judged as one in front of a command. */
function runAssignment(word: Field, call: Call): void {
  const equals = word.text.indexOf('=')
  const name = word.text.slice(0, equals)
  if (/^[A-Za-z_]\w*$/.test(name)) {
    const value = asSource([field(word.text.slice(equals + 1))])
    runScript(stream(`export ${name}=${value.text}`, word.taints), call)
  }
}

function behindDashes(words: readonly Field[]): readonly Field[] {
  const dashes = words.findIndex((word) => word.text === '--')
  return dashes < 0 ? words : words.slice(dashes + 1)
}

/** Several words that the program glues with blanks and hands to a shell. */
function joined(words: readonly Field[]): Stream {
  return stream(
    words.map((word) => word.text).join(' '),
    words.flatMap((word) => word.taints),
  )
}

function describe(operands: readonly Field[]): Stream {
  return stream(operands.map((word) => `/usr/bin/${word.text}\n`).join(''))
}

/** Whether the call runs another command, so that its later words are not its own. */
export function isWrapping(call: Call): boolean {
  return wrappersNamed(call.name).some(
    ({ path, wrapper }) => !wrapper.optionsOnly && afterSubcommand(call.args, path, wrapper) !== undefined,
  )
}

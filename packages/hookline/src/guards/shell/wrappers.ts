import { hasFlag, type Wrapped, wrappedBy } from '../../shell/index.ts'
import { asSource, runScript, runWords } from './scripts.ts'
import { type Field, field, type Stream, stream } from './text.ts'
import { type Call, type Handled, settled, unsettled } from './types.ts'

/** Takes a wrapper off and judges what it runs; undefined when the call is not a wrapper, or wraps nothing. */
export function unwrap(call: Call): Handled | undefined {
  for (const wrapped of wrappedBy(call.name, call.args)) {
    const handled = runInner(wrapped, call)
    if (handled) return handled
  }
  return undefined
}

/** Whether the call runs another command, so that its later words are not its own. */
export function isWrapping(call: Call): boolean {
  return wrappedBy(call.name, call.args).some(({ wrapper }) => !wrapper.optionsOnly)
}

function runInner({ wrapper, args, assignments, words, scripts }: Wrapped<Field>, call: Call): Handled | undefined {
  // `command -v rm` only tells where rm is; with options behind the name, someone means to run it.
  const plain = args.operands.every((word) => !word.text.startsWith('-'))
  if (wrapper.prints && plain && hasFlag(args, wrapper.prints)) return settled(describe(args.operands))
  for (const assignment of assignments) assign(assignment, call)
  const outputs = scripts.map((script) =>
    runScript(wrapper.split ? { ...script, text: `${script.text} ${asSource(words).text}` } : script, call),
  )
  if (words.length > 0 && scripts.length === 0)
    outputs.push(wrapper.lastScript ? runScript(joined(words), call) : runWords(words, call))
  const output = outputs.at(-1)
  const harmless = wrapper.transparent?.split('|')
  const clear = harmless && args.flags.every((flag) => harmless.includes(flag.name))
  return output && (clear ? settled(output) : unsettled(output))
}

/** An assignment behind `env` is judged as one in front of a command. */
function assign(word: Field, call: Call): void {
  const equals = word.text.indexOf('=')
  const name = word.text.slice(0, equals)
  call.state.variables.set(name, [field(word.text.slice(equals + 1), word.taints)])
  if (!/^[A-Za-z_]\w*$/.test(name)) return
  const value = asSource([field(word.text.slice(equals + 1))])
  runScript(stream(`export ${name}=${value.text}`, word.taints), call)
}

/** Several words that the program joins with blanks and hands to a shell. */
function joined(words: readonly Field[]): Stream {
  return stream(
    words.map((word) => word.text).join(' '),
    words.flatMap((word) => word.taints),
  )
}

function describe(operands: readonly Field[]): Stream {
  return stream(operands.map((word) => `/usr/bin/${word.text}\n`).join(''))
}

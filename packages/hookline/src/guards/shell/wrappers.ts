import {
  flagValues,
  hasFlag,
  lookup,
  parseArguments,
  readOptions,
  rowsOf,
  type Wrapped,
  wrappedBy,
} from '../../shell/index.ts'
import { MOST_ROUNDS } from './findings.ts'
import { asSource, runScript, runWords } from './scripts.ts'
import { type Field, field, isKnown, mixTaints, SOME, type Stream, stream } from './text.ts'
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
  // `command -v rm` only prints where rm is; with options behind the name, someone means to run it.
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

const FEEDERS: Record<string, (call: Call) => Handled | undefined> = {
  find: feedFromFind,
  gfind: feedFromFind,
  fd: feedFromFd,
  fdfind: feedFromFd,
  xargs: feedFromXargs,
  gxargs: feedFromXargs,
  parallel: feedFromParallel,
  rush: feedFromParallel,
}

export function feed(call: Call): Handled | undefined {
  return lookup(FEEDERS, call.name)?.(call)
}

function feedFromFind(call: Call): Handled | undefined {
  const starts: Field[] = []
  for (const word of call.args) {
    if (/^[-(!]/.test(word.text) && !/^-[HLP]$/.test(word.text)) break
    if (!/^-[HLP]$/.test(word.text)) starts.push(word)
  }
  if (starts.length === 0) starts.push(field('.'))
  let ran = false
  for (let at = 0; at < call.args.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(call.args[at]?.text ?? '')) continue
    const end = call.args.findIndex((word, index) => index > at && endsAction(word, call.args[index - 1]))
    const action = call.args.slice(at + 1, end < 0 ? call.args.length : end)
    const listed = starts.map((start) => ({ ...start, taints: mixTaints(start.taints, ['listed']) }))
    runOnEach(action, listed, '{}', call)
    ran = true
    at = end < 0 ? call.args.length : end
  }
  return ran ? unsettled(stream(SOME)) : undefined
}

function endsAction(word: Field, previous: Field | undefined): boolean {
  return word.text === ';' || (word.text === '+' && previous?.text === '{}') || word.text === '+'
}

function feedFromFd(call: Call): Handled | undefined {
  const at = call.args.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(word.text))
  if (at < 0) return undefined
  runOnEach(call.args.slice(at + 1), [field('.', ['listed'])], '{}', call)
  return unsettled(stream(SOME))
}

function feedFromXargs(call: Call): Handled {
  const args = parseArguments(call.args, readOptions(rowsOf('xargs')[0]?.wrapper.options ?? ''), true)
  const fromFile = hasFlag(args, 'a|--arg-file')
  const items = fromFile
    ? [UNKNOWN_ITEM]
    : itemsOf(call.wiring.stdin, !hasFlag(args, 'I|i|J|d|0|--replace|--delimiter|--null'))
  const replace = flagValues(args, 'I|J|--replace')
  const attached = call.args.find((word) => /^-i./.test(word.text))?.text.slice(2)
  const marker = attached ?? (replace.length > 0 || hasFlag(args, 'i') ? replace.at(-1)?.text || '{}' : undefined)
  const command = args.operands.length > 0 ? args.operands : [field('echo')]
  if (marker === undefined) return settled(runWords([...command, ...items], call, innerWiring(call)))
  runOnEach(command, items, marker, call)
  return settled(stream(SOME))
}

const PARALLEL =
  '-j:a:S:N:n:I:d:C:L: --jobs= --arg-file= --sshlogin= --sshloginfile= --results= --joblog= --tmpdir= --colsep= --delimiter= --max-args= --delay= --timeout= --retries= --workdir= --env= --load= --halt= --tagstring= --basefile= --return= --profile= --plus='

function feedFromParallel(call: Call): Handled {
  const split = call.args.findIndex((word) => /^:::[:+]*$/.test(word.text))
  const head = split < 0 ? call.args : call.args.slice(0, split)
  const listed = split < 0 ? undefined : call.args.slice(split + 1).filter((word) => !/^:::[:+]*$/.test(word.text))
  const items = listed ?? itemsOf(call.wiring.stdin, false)
  const command = parseArguments(head, readOptions(PARALLEL), true).operands
  if (command.length === 0) for (const item of items) runScript(item, call)
  else runOnEach(command, items, '{}', call, true)
  return settled(stream(SOME))
}

const UNKNOWN_ITEM = field(SOME, ['listed', 'fed'])

function itemsOf(stdin: Stream | undefined, byWord: boolean): Field[] {
  if (!stdin || !isKnown(stdin.text)) return [field(SOME, mixTaints(stdin?.taints ?? [], ['listed', 'fed']))]
  const items = stdin.text.split(byWord ? /\s+/ : /[\n\0]+/).filter((item) => item !== '')
  return items.map((item) => field(item, mixTaints(stdin.taints, ['fed'])))
}

/** Once per item; without a marker in the command, the item goes to its end. */
function runOnEach(
  command: readonly Field[],
  items: readonly Field[],
  marker: string,
  call: Call,
  joined = false,
): void {
  const isMarker = (text: string) => text.includes(marker) || (joined && /\{(?:\d+|[./%]+)\}/.test(text))
  const marked = command.some((word) => isMarker(word.text))
  for (const item of items.slice(0, MOST_ROUNDS)) {
    const words = command.map((word) => (isMarker(word.text) ? fill(word, item, marker, joined) : word))
    const appended = marked || marker !== '{}' || call.name.endsWith('find') ? words : [...words, item]
    runWords(appended, call, innerWiring(call))
  }
}

function fill(word: Field, item: Field, marker: string, numbered: boolean): Field {
  const replaced = word.text.replaceAll(marker, () => item.text)
  const text = numbered ? replaced.replace(/\{(?:\d+|[./%]+)\}/g, () => item.text) : replaced
  const whole = word.text.length <= marker.length + 1
  return {
    text,
    glob: word.glob || item.glob,
    taints: mixTaints(word.taints, whole ? item.taints : item.taints.filter((taint) => taint !== 'fed')),
  }
}

function innerWiring(call: Call) {
  return { ...call.wiring, stdin: undefined, piped: true }
}

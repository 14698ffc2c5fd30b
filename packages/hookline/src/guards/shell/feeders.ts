/** Programs that run a command on names they are fed: find, xargs, parallel. */
import { flagValues, hasFlag, lookup, parseArguments, readOptions, rowsOf } from '../../shell/index.ts'
import { MOST_ROUNDS } from './findings.ts'
import { runScript, runWords } from './scripts.ts'
import { type Field, field, isKnown, mixTaints, SOME, type Stream, stream } from './text.ts'
import { type Call, type Handled, settled, unsettled } from './types.ts'

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

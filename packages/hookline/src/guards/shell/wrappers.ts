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
import { spend, spendOnText } from './budget.ts'
import { findsScratch } from './deletions.ts'
import { standIn } from './directories.ts'
import { linesOf } from './disk.ts'
import { report } from './findings.ts'
import { SPAWN_LOOP } from './forks.ts'
import { foundBelow, startsOfFind } from './listed.ts'
import { placeOf, resolvePath } from './places.ts'
import { asSource, runScript, runText, runWords } from './scripts.ts'
import type { Mount } from './seen.ts'
import { type Field, field, isKnown, mixTaints, PATH, SOME, type Stream, stream, type Taint } from './text.ts'
import { newTrace } from './trace.ts'
import { type Arguments, type Call, type Handled, type Run, type State, settled, unsettled } from './types.ts'
import { contentOf } from './written.ts'

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

function runInner(wrapped: Wrapped<Field>, outer: Call): Handled | undefined {
  const { wrapper, args, assignments, words, scripts } = wrapped
  const call = enter(wrapped, outer)
  // `command -v rm` only prints where rm is; with options behind the name, someone means to run it.
  const plain = args.operands.every((word) => !word.text.startsWith('-'))
  if (wrapper.prints && plain && hasFlag(args, wrapper.prints)) return settled(describe(args.operands))
  for (const assignment of assignments) assign(assignment, call)
  const outputs = scripts.map((script) =>
    runScript(wrapper.split ? { ...script, text: `${script.text} ${asSource(words).text}` } : script, call),
  )
  if (words.length > 0 && scripts.length === 0)
    outputs.push(wrapper.lastScript ? runScript(joined(words, wrapped), call) : runWords(words, call))
  const bare =
    wrapper.shell !== undefined && outputs.length === 0 && (wrapper.shell === '' || hasFlag(args, wrapper.shell))
  if (bare && call.wiring.stdin) outputs.push(runText(call.wiring.stdin, call))
  const output = outputs.at(-1)
  const harmless = wrapper.transparent?.split('|')
  const clear = harmless && args.flags.every((flag) => harmless.includes(flag.name))
  return output && (clear ? settled(output) : unsettled(output))
}

/** The call as those inside it see it: the directory it enters, the machine it goes to, and what it is called. */
function enter({ wrapper, path, args }: Wrapped<Field>, call: Call): Call {
  const [folder] = wrapper.enters ? flagValues(args, wrapper.enters) : []
  const cwd = folder && isKnown(folder.text) ? resolvePath(folder.text, call.state) : undefined
  const run = wrapper.inner === 'elsewhere' ? { ...call.run, elsewhere: true } : call.run
  const verbs = path.map((part) => call.args.find(({ text }) => part.split('|').includes(text))?.text)
  const label = [call.name, ...verbs].join(' ')
  const { state } = call
  if (wrapper.inner === 'elsewhere')
    return { ...call, run: mounted(run, args, call), label, state: inContainer(args, state) }
  return { ...call, run, label, state: folder ? { ...state, cwd, standing: standIn([cwd]) } : state }
}

/** Directories of this machine that the container sees: `-v here:there`, `--mount type=bind,src=here,dst=there`. */
function mounted(run: Run, args: Arguments, { state }: Call): Run {
  const [cwd] = state.standing.now
  const volumes = flagValues(args, 'v|--volume').flatMap((value): Mount[] => {
    const [, from, to] = /^((?:[A-Za-z]:[\\/])?[^:]*):([^:]+)(?::[^:/]*)?$/.exec(value?.text ?? '') ?? []
    // A name alone is a volume that the engine keeps.
    return value && from && to && /[/~.]|^[\uE000\uE001]/.test(from)
      ? [{ from: { ...value, text: from }, to, cwd }]
      : []
  })
  const mounts = flagValues(args, '--mount').flatMap((value): Mount[] => {
    const keys = new Map(value?.text.split(',').map((part): [string, string] => splitAt(part)))
    const from = keys.get('src') ?? keys.get('source')
    const to = keys.get('dst') ?? keys.get('target') ?? keys.get('destination')
    return value && from && to && keys.get('type') !== 'volume' ? [{ from: { ...value, text: from }, to, cwd }] : []
  })
  const all = [...volumes, ...mounts]
  return all.length > 0 ? { ...run, mounts: all } : run
}

function splitAt(part: string): [string, string] {
  const equals = part.indexOf('=')
  return equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]
}

function inContainer(args: Arguments, state: State): State {
  const folder = flagValues(args, 'w|--workdir').at(-1)?.text
  const inner = folder !== undefined && isKnown(folder) ? folder : undefined
  return { ...state, standing: standIn([inner]) }
}

/** An assignment behind `env` is judged as one in front of a command. */
function assign(word: Field, call: Call): void {
  const equals = word.text.indexOf('=')
  const name = word.text.slice(0, equals)
  call.state.variables.set(name, [field(word.text.slice(equals + 1), word.taints)])
  if (!/^[A-Za-z_]\w*$/.test(name)) return
  const value = asSource([field(word.text.slice(equals + 1))])
  const trace = newTrace()
  try {
    runScript(stream(`export ${name}=${value.text}`, word.taints), {
      ...call,
      seen: undefined,
      run: { ...call.run, trace },
    })
  } finally {
    // The last is the `export` that nobody wrote.
    call.run.trace.seen.push(...trace.seen.slice(0, -1))
    call.run.trace.doubts.push(...trace.doubts)
  }
}

/** Several words that the program joins with blanks and hands to a shell, or types into one. */
function joined(words: readonly Field[], { wrapper: { keys, codes }, args }: Wrapped<Field>): Stream {
  const coded = codes !== undefined && hasFlag(args, codes)
  const texts = words.map(({ text }) => (coded ? ofCode(text) : ((keys && lookup(keys, text.toLowerCase())) ?? text)))
  return stream(
    texts.join(keys ? '' : ' '),
    words.flatMap((word) => word.taints),
  )
}

const ofCode = (text: string): string =>
  /^[0-9a-f]{1,5}$/i.test(text) ? String.fromCodePoint(Number.parseInt(text, 16)).replace('\r', '\n') : text

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
  const begins = ({ text }: Field) => /^-(?:exec|execdir|ok|okdir)$/.test(text)
  if (!call.args.some(begins)) return undefined
  const starts = startsOfFind(call.args)
  spend(call.run, starts.length * (1 + (call.args.length >> 6)))
  const spare = findsScratch(call.args)
  const listed = starts.flatMap((start) =>
    foundBelow(start, call.args).map((each) => ({
      ...start,
      // A name without stars is another thing than all that lies where it is looked for.
      ...(placeOf(start, call.state) === 'start' && NAMED.test(each) && { text: each.replaceAll(PATH, 'x/') }),
      spare,
      taints: mixTaints(start.taints, ['listed']),
      listed: each,
    })),
  )
  for (let at = 0; at < call.args.length; at++) {
    const word = call.args[at] as Field
    if (!begins(word)) continue
    const action = untilEnd(call.args, at + 1)
    runOnEach(action, listed, '{}', { ...call, label: `${call.name} ${word.text}` })
    at += action.length + 1
  }
  return unsettled(stream(SOME))
}

const NAMED = new RegExp(`[/${PATH}][\\w.-]+$`)

/** The words of one action: a `+` ends it only behind `{}`. */
function untilEnd(words: readonly Field[], start: number): Field[] {
  let end = start
  while (end < words.length && words[end]?.text !== ';') {
    if (words[end]?.text === '+' && words[end - 1]?.text === '{}') break
    end++
  }
  return words.slice(start, end)
}

function feedFromFd(call: Call): Handled | undefined {
  const at = call.args.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(word.text))
  if (at < 0) return undefined
  const args = parseArguments(call.args.slice(0, at), readOptions(FD))
  const names = flagValues(args, 'e|--extension').flatMap((value) =>
    value ? [field('-name'), field(`*.${value.text}`)] : [],
  )
  const [start = field('.')] = args.operands.slice(1)
  const listed = names.length === 2 ? foundBelow(start, names) : [`${start.text.replace(/\/+$/, '')}/${PATH}`]
  const found = listed.map((each) => ({
    ...field(start.text, ['listed']),
    listed: each,
    ...(names.length === 2 && findsScratch(names) ? { spare: true } : {}),
  }))
  runOnEach(call.args.slice(at + 1), found, '{}', { ...call, label: `${call.name} ${call.args[at]?.text}` })
  return unsettled(stream(SOME))
}

const FD = '-e:E:t:d:S:o:c:j: --extension= --exclude= --type= --max-depth= --size= --owner= --color= --threads='

function feedFromXargs(call: Call): Handled {
  const args = parseArguments(call.args, readOptions(rowsOf('xargs')[0]?.wrapper.options ?? ''), true)
  const fromFile = hasFlag(args, 'a|--arg-file')
  const [file] = flagValues(args, 'a|--arg-file')
  const stdin = fromFile && file ? contentOf(file, call.state) : call.wiring.stdin
  const items =
    fromFile && !file
      ? [UNKNOWN_ITEM]
      : itemsOf(stdin, call.run, !hasFlag(args, 'I|i|J|d|0|--replace|--delimiter|--null'))
  const [processes] = flagValues(args, 'P|--max-procs')
  const background = args.operands.some(({ text }) => /&\s*$/.test(text))
  if (stdin?.taints.includes('endless') && ((processes && processes.text !== '1') || background))
    report(call.run, 'destructive', SPAWN_LOOP, call.shown)
  const replace = flagValues(args, 'I|J|--replace')
  const attached = call.args.find((word) => /^-i./.test(word.text))?.text.slice(2)
  const marker = attached ?? (replace.length > 0 || hasFlag(args, 'i') ? replace.at(-1)?.text || '{}' : undefined)
  const command = args.operands.length > 0 ? args.operands : [field('echo')]
  if (marker === undefined) return settled(runWords([...command, ...items], call, innerWiring(call)))
  return settled(runOnEach(command, items, marker, call))
}

const PARALLEL =
  '-j:a:S:N:n:I:d:C:L: --jobs= --arg-file= --sshlogin= --sshloginfile= --results= --joblog= --tmpdir= --colsep= --delimiter= --max-args= --delay= --timeout= --retries= --workdir= --env= --load= --halt= --tagstring= --basefile= --return= --profile= --plus='

function feedFromParallel(call: Call): Handled {
  const split = call.args.findIndex((word) => /^:::[:+]*$/.test(word.text))
  const head = split < 0 ? call.args : call.args.slice(0, split)
  const listed = split < 0 ? undefined : call.args.slice(split + 1).filter((word) => !/^:::[:+]*$/.test(word.text))
  const items = listed ?? itemsOf(call.wiring.stdin, call.run, false)
  const command = parseArguments(head, readOptions(PARALLEL), true).operands
  if (command.length === 0) for (const item of items) runScript(item, call)
  else runOnEach(command, items, '{}', call, true)
  return unsettled(stream(SOME))
}

const MOST_ITEMS = 500
const UNKNOWN_ITEM = field(SOME, ['listed', 'fed'])

function itemsOf(stdin: Stream | undefined, run: Run, byWord: boolean): Field[] {
  const named = stdin?.file === undefined ? undefined : linesOf(stdin, run)
  if (named && named.length <= MOST_ITEMS)
    return named.flatMap((line) => (byWord ? line.split(/\s+/) : [line])).map((line) => field(line, ['fed']))
  if (!stdin || !isKnown(stdin.text)) {
    const unknown = field(SOME, mixTaints(stdin?.taints ?? [], ['listed', 'fed']))
    return stdin?.listed === undefined ? [unknown] : stdin.listed.split('\n').map((listed) => ({ ...unknown, listed }))
  }
  spendOnText(run, stdin.text.length, 16)
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
): Stream {
  const isMarker = (text: string) => text.includes(marker) || (joined && /\{(?:\d+|[./%]+)\}/.test(text))
  const marked = command.some((word) => isMarker(word.text))
  const taints: Taint[] = []
  for (const item of items) {
    spend(call.run, command.length)
    spendOnText(call.run, item.text.length)
    const words = command.map((word) => (isMarker(word.text) ? fill(word, item, marker, joined) : word))
    const appended = marked || marker !== '{}' || call.name.endsWith('find') ? words : [...words, item]
    taints.push(...runWords(appended, call, innerWiring(call)).taints)
  }
  return stream(SOME, mixTaints(taints))
}

function fill(word: Field, item: Field, marker: string, numbered: boolean): Field {
  const replaced = word.text.replaceAll(marker, () => item.text)
  const text = numbered ? replaced.replace(/\{(?:\d+|[./%]+)\}/g, () => item.text) : replaced
  const whole = word.text.length <= marker.length + 1
  const listed = item.listed === undefined ? undefined : word.text.replaceAll(marker, () => item.listed as string)
  return {
    text,
    ...(listed === undefined ? {} : { listed }),
    glob: word.glob || item.glob,
    ...(item.spare && whole ? { spare: true } : {}),
    taints: mixTaints(word.taints, whole ? item.taints : item.taints.filter((taint) => taint !== 'fed')),
  }
}

function innerWiring(call: Call) {
  return { ...call.wiring, stdin: undefined, piped: true }
}

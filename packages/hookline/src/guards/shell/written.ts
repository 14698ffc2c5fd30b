/** What a line leaves behind for its own later commands: files it has written, and names it has given to programs. */
import { flagValues, hasFlag, lookup, parseArguments, readOptions } from '../../shell/index.ts'
import { spend } from './budget.ts'
import { isForeignServer } from './forges.ts'
import { asOpened, type Place, placeOf, resolvePath } from './places.ts'
import { isAgentConfig, isGitInternal, isSecret, isStartup, mustStay } from './sensitive.ts'
import {
  clip,
  emptiest,
  type Field,
  field,
  isKnown,
  MAYBE,
  mixTaints,
  SOME,
  type Stream,
  stream,
  type Taint,
} from './text.ts'
import type { Arguments, Call, State } from './types.ts'
import { lead, type Way, withWay } from './ways.ts'

/** A connection of bash's own: `/dev/tcp/host/port`. */
export const SOCKET = /^\/dev\/(?:tcp|udp)\//

/** The input of whoever reads it, under its other names. */
export const STDIN = /^(?:\/dev\/stdin|\/dev\/fd\/0|\/proc\/(?:self|thread-self)\/fd\/0)$/
const DESCRIPTOR = /^(?:\/dev\/fd\/|\/proc\/[^/]+\/fd\/)(\d+)$/

/** What reading a path yields, as far as this line can know. */
export function contentOf(named: Field, state: State): Stream {
  if (named.content) return named.content
  const word = asOpened(named, state)
  if (SOCKET.test(word.text)) return stream(SOME, ['remote'])
  const opened = state.descriptors.get(DESCRIPTOR.exec(word.text)?.[1] ?? '')
  if (opened) return opened
  const path = resolvePath(emptiest(word.text) ?? word.text, state)
  const written = path === undefined ? undefined : writtenAt(path, state)
  if (written) return written
  if (word.text === '/dev/null') return stream('')
  if (isSecret(word, state)) return stream(SOME, ['secret'])
  if (mustStay(word, state)) return stream(SOME, ['typed'])
  return path === undefined || !isKnown(word.text) ? stream(SOME) : { ...stream(SOME), file: path }
}

/** What this line has written there, or unpacked somewhere above it. */
export function writtenAt(path: string, state: State): Stream | undefined {
  const own = state.files.get(path)
  if (own) return own
  for (const [place, content] of state.files)
    if (place.endsWith(TREE) && (place === `.${TREE}` ? !path.startsWith('/') : path.startsWith(place.slice(0, -2))))
      return content
  return undefined
}

/** Whether this line has put something with such a taint into a directory. */
export function holdsBelow(word: Field, state: State, is: (taint: Taint) => boolean): boolean {
  const path = resolvePath(word.text, state)
  if (path === undefined || state.files.size === 0) return false
  return [...state.files].some(([place, { taints }]) => place.startsWith(`${path}/`) && taints.some(is))
}

/** Everything below a directory. */
const TREE = '/**'

export function remember(target: Field, append: boolean, content: Stream, state: State): void {
  const text = emptiest(target.text)
  const path = text === undefined ? undefined : resolvePath(text, state)
  if (path === undefined) return
  const before = append ? (state.files.get(path) ?? stream(MAYBE)) : stream('')
  state.files.set(path, stream(clip(before.text + content.text), mixTaints(before.taints, content.taints)))
}

type Effect = (call: Call) => void

const EFFECTS: Record<string, Effect> = {
  tee: (call) => {
    const args = parseArguments(call.args, readOptions(''))
    for (const target of args.operands)
      remember(target, hasFlag(args, 'a'), call.wiring.stdin ?? stream(SOME), call.state)
  },
  curl: (call) => {
    const args = parseArguments(
      call.args,
      readOptions('-A:b:d:e:F:H:m:o:T:u:x:X: --output= --header= --data= --request= --user='),
    )
    for (const target of flagValues(args, 'o|--output')) if (target) download(target, call)
    if (hasFlag(args, 'O|J|--remote-name')) for (const url of args.operands) download(lastPart(url), call)
  },
  wget: (call) => {
    const args = parseArguments(
      call.args,
      readOptions('-O:P:o:U:t:T:e: --output-document= --directory-prefix= --header='),
    )
    const targets = flagValues(args, 'O|--output-document')
    for (const target of targets) if (target) download(target, call)
    const [folder] = flagValues(args, 'P|--directory-prefix')
    if (targets.length === 0) for (const url of args.operands) download(lastPart(url, folder), call)
  },
  aria2c: (call) => {
    const args = parseArguments(call.args, readOptions('-o:d: --out= --dir='))
    const targets = flagValues(args, 'o|--out')
    for (const target of targets) if (target) download(target, call)
    const [folder] = flagValues(args, 'd|--dir')
    if (targets.length === 0) for (const url of args.operands) download(lastPart(url, folder), call)
  },
  git: (call) => {
    const args = parseArguments(call.args, readOptions('-C:c:b:o:j: --depth= --branch= --origin= --config='))
    const [verb, url, folder] = args.operands
    if (verb?.text !== 'clone' || !url || !isForeignServer(url.text)) return
    const name =
      folder?.text ??
      url.text
        .replace(/\/+$|\.git\/?$/g, '')
        .split(/[/:]/)
        .at(-1) ??
      ''
    const path = resolvePath(name, call.state)
    if (path !== undefined && name !== '') call.state.files.set(`${path}${TREE}`, stream(SOME, ['remote']))
  },
  // The last word is where it goes.
  ...Object.fromEntries(
    'certutil bitsadmin'.split(' ').map((name): [string, Effect] => [
      name,
      (call) => {
        const target = call.args.at(-1)
        if (target && call.args.some(({ text }) => /^https?:/i.test(text))) download(target, call)
      },
    ]),
  ),
  ...Object.fromEntries(
    'iwr invoke-webrequest irm invoke-restmethod start-bitstransfer curl.exe'.split(' ').map((name) => [name, saveAs]),
  ),
  ...Object.fromEntries('tar gtar bsdtar unzip 7z 7za'.split(' ').map((name) => [name, unpack])),
  scp: copy,
  rsync: copy,
  cp: copy,
  mv: copy,
  install: copy,
  ln: copy,
  mount: bind,
}

export function applyEffects(call: Call): void {
  lookup(EFFECTS, call.name)?.(call)
}

function download(target: Field, call: Call): void {
  remember(target, false, stream(SOME, ['remote']), call.state)
}

function lastPart(url: Field, folder?: Field): Field {
  const name =
    url.text
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? url.text
  return field(folder ? `${folder.text}/${name}` : name)
}

/** `-OutFile x` of PowerShell. */
function saveAs(call: Call): void {
  const at = call.args.findIndex(({ text }) => /^-(?:o|outf?(?:ile)?|destination)$/i.test(text))
  const target = at < 0 ? undefined : call.args[at + 1]
  if (target) download(target, call)
}

/** What is unpacked from a download is one. */
function unpack(call: Call): void {
  const args = parseArguments(call.args, readOptions('-C:d:f:T:X:I:b: --directory= --file='))
  const archives = [...flagValues(args, 'f|--file'), ...args.operands]
  const packs = /^-?[A-Za-z]*c/.test(call.args[0]?.text ?? '') && call.name.includes('tar')
  const sources = [...archives.map((word) => word && contentOf(word, call.state)), call.wiring.stdin]
  if (packs || !sources.some((source) => source?.taints.includes('remote'))) return
  const folder = flagValues(args, 'C|d|--directory')[0]?.text ?? '.'
  const path = resolvePath(folder, call.state)
  if (path !== undefined) call.state.files.set(`${path}${TREE}`, stream(SOME, ['remote']))
}

const COPY_OPTIONS: Readonly<Record<string, string>> = {
  scp: '-c:D:F:i:J:l:o:P:S:X:',
  rsync: '-e:f:B:M:T: --rsh= --exclude= --include= --filter= --temp-dir= --chmod= --chown=',
  install: '-g:m:o:S:t: --group= --mode= --owner= --suffix= --target-directory=',
  ...Object.fromEntries(['cp', 'mv', 'ln'].map((name) => [name, '-S:t: --suffix= --target-directory='])),
}

/** A copy or link of a program is that program; of a file this line wrote or that holds credentials, that file. */
function copy(call: Call): void {
  const args = parseArguments(call.args, readOptions(COPY_OPTIONS[call.name] ?? ''))
  const [folder] = flagValues(args, 't|--target-directory')
  // `ln -s ~/work` makes a link of that name here.
  const here = call.name === 'ln' && !folder && args.operands.length === 1 ? field('.') : undefined
  const target = folder ?? here ?? args.operands.at(-1)
  const sources = folder || here ? args.operands : args.operands.slice(0, -1)
  const to = target && resolvePath(target.text, call.state)
  if (to === undefined || !isKnown(target?.text ?? SOME)) return
  spend(call.run, STEPS_OF_COPY)
  const fetched = call.name === 'scp' || call.name === 'rsync'
  for (const source of sources.slice(0, MOST_COPIES)) {
    const from = resolvePath(source.text, call.state)
    const places = [to, resolvePath(`${to}/${source.text.split(/[/:]/).at(-1)}`, call.state) ?? to]
    if (fetched && /^[^/]+:/.test(source.text))
      for (const place of places) call.state.files.set(place, stream(SOME, ['remote']))
    else if (from === undefined || (fetched && /^[^/]+:/.test(target?.text ?? ''))) continue
    else {
      const content = contentOf(source, call.state)
      const kept = call.state.files.has(from) || content.taints.length > 0
      for (const place of places)
        if (kept) call.state.files.set(place, content)
        else link(place, source.text, call.state)
      if (isKnown(source.text)) for (const at of places) leadAway(at, source.text, args, call)
    }
  }
}

const MOST_COPIES = 32
/** What is copied is looked for in what the line has written, under two names. */
const STEPS_OF_COPY = 10

/** A link leads on from the directory that it lies in; what was moved is where it was moved to. */
function leadAway(at: string, source: string, args: Arguments, { name, state }: Call): void {
  const linked = /^(?:ln|cp)$/.test(name) && hasFlag(args, 's|--symbolic|--symbolic-link')
  if (!linked && name !== 'mv') return
  const folder = at.replace(/\/?[^/]*$/, '') || (at.startsWith('/') ? '/' : '.')
  const to = resolvePath(source, linked ? { ...state, cwd: folder } : state)
  if (to !== undefined) addWay({ at, to, ...(linked ? {} : { whole: true }) }, state)
}

/**
 * What is named last may be a directory that is there, and the link lies in it: only a name that means little leads on, to a
 * place that means more, so that no line gets milder by a link.
 */
function addWay(made: Way, state: State): void {
  const way = { ...made, to: lead(made.to, state.ways, true) }
  const [at, to] = [field(way.at), field(way.to)]
  // Of what lies in the project, only hidden files may mean more.
  if (!FAR.has(placeOf(to, state)) && !(/(?:^|\/)\./.test(way.to) && isDear(to, state))) return
  if (PLAIN.has(placeOf(at, state)) && !isDear(at, state)) state.ways = withWay(state.ways, way)
}

const PLAIN: ReadonlySet<Place> = new Set(['inside', 'artefact', 'temp', 'start'])
const FAR: ReadonlySet<Place> = new Set(['root', 'system', 'home', 'home-child', 'outside', 'above', 'device'])
const isDear = (word: Field, state: State): boolean =>
  isGitInternal(word, state) || isAgentConfig(word, state) || isStartup(word, state) || isSecret(word, state)

/** `mount --bind here there`: one directory under two names. */
function bind(call: Call): void {
  const args = parseArguments(call.args, readOptions('-o:t:L:U: --options= --types='))
  const [from, at] = args.operands
  const binds =
    hasFlag(args, 'B|R|--bind|--rbind') ||
    flagValues(args, 'o|--options').some((each) => /\br?bind\b/.test(each?.text ?? ''))
  const [to, place] = [from, at].map((word) => word && isKnown(word.text) && resolvePath(word.text, call.state))
  if (binds && to && place) addWay({ at: place, to, whole: true }, call.state)
}

/** Where programs of one's own are put, and shells look for them. */
const USUAL_FOLDERS = (home: string): string[] => [
  ...['.local/bin', 'bin', '.cargo/bin', 'go/bin', '.npm-global/bin', '.bun/bin'].map((each) => `${home}/${each}`),
  ...['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'],
]

/** What a name without a slash stands for, if the line has put something into the directories where the shell looks. */
export function foundInPath(name: string, state: State): string | undefined {
  if (state.links.size + state.files.size === 0) return undefined
  const folders = (state.variables.get('PATH')?.[0]?.text.split(':') ?? USUAL_FOLDERS(state.home)).slice(0, MOST_COPIES)
  // Windows looks where it stands first.
  if (/\.(?:exe|bat|cmd|ps1|com)$/i.test(name)) folders.unshift('.')
  return folders
    .map((folder) => resolvePath(`${emptiest(folder) || '.'}/${name}`, state))
    .find((path) => path !== undefined && (state.links.has(path) || state.files.has(path)))
}

function link(path: string, program: string, state: State): void {
  if (/(?:^|\/)s?bin\/[^/]+$/.test(program)) state.links.set(path, program)
}

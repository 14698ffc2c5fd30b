/** What a line leaves behind for its own later commands: files it has written, and names it has given to programs. */
import { flagValues, hasFlag, lookup, parseArguments, readOptions } from '../../shell/index.ts'
import { resolvePath } from './places.ts'
import { isSecret } from './sensitive.ts'
import { type Field, field, isKnown, MAYBE, SOME, type Stream, stream } from './text.ts'
import type { Call, State } from './types.ts'

/** A connection of bash's own: `/dev/tcp/host/port`. */
export const SOCKET = /^\/dev\/(?:tcp|udp)\//

/** What reading a path yields, as far as this line can know. */
export function contentOf(word: Field, state: State): Stream {
  if (word.content) return word.content
  if (SOCKET.test(word.text)) return stream(SOME, ['remote'])
  const path = resolvePath(word.text, state)
  const written = path === undefined ? undefined : state.files.get(path)
  if (written) return written
  if (word.text === '/dev/null') return stream('')
  return stream(SOME, isSecret(word, state) ? ['secret'] : [])
}

export function remember(target: Field, append: boolean, content: Stream, state: State): void {
  const path = isKnown(target.text) ? resolvePath(target.text, state) : undefined
  if (path === undefined) return
  const before = append ? (state.files.get(path) ?? stream(MAYBE)) : stream('')
  state.files.set(path, stream(before.text + content.text, [...before.taints, ...content.taints]))
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
    if (targets.length === 0) for (const url of args.operands) download(lastPart(url), call)
  },
  aria2c: (call) => {
    const args = parseArguments(call.args, readOptions('-o:d: --out= --dir='))
    for (const target of flagValues(args, 'o|--out')) if (target) download(target, call)
  },
  scp: copy,
  cp: copy,
  mv: copy,
  install: copy,
  ln: copy,
}

export function applyEffects(call: Call): void {
  lookup(EFFECTS, call.name)?.(call)
}

function download(target: Field, call: Call): void {
  remember(target, false, stream(SOME, ['remote']), call.state)
}

function lastPart(url: Field): Field {
  return field(
    url.text
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? url.text,
  )
}

/** A copy or link of a program is that program; of a file this line wrote, that file. */
function copy(call: Call): void {
  const { operands } = parseArguments(call.args, readOptions('-t:m:o:g:S:i:P: --target-directory= --mode='))
  const [source, target] = operands
  if (!source || !target || operands.length !== 2) return
  const from = resolvePath(source.text, call.state)
  const to = resolvePath(target.text, call.state)
  if (from === undefined || to === undefined) return
  const content = contentOf(source, call.state)
  if (/^[^/]+:/.test(source.text) && call.name === 'scp') call.state.files.set(to, stream(SOME, ['remote']))
  else if (call.state.files.has(from)) call.state.files.set(to, content)
  else for (const path of [to, `${to}/${source.text.split('/').at(-1)}`]) link(path, source.text, call.state)
}

function link(path: string, program: string, state: State): void {
  if (/(?:^|\/)s?bin\/[^/]+$/.test(program)) state.links.set(path, program)
}

import type { Redirection } from '../../shell/syntax/index.ts'
import { spend } from './budget.ts'
import { OFFERS_SHELL } from './dangers.ts'
import { expandBody, expandSingle } from './expand.ts'
import { report } from './findings.ts'
import { judgeEmptied, judgeWrite } from './losses.ts'
import { placeOf, resolvePath } from './places.ts'
import type { SeenFile } from './seen.ts'
import { isSecret } from './sensitive.ts'
import { emptiest, type Field, type Stream, stream, type Taint } from './text.ts'
import { seeFile, seeHost } from './trace.ts'
import type { Shell, Wiring } from './types.ts'
import { contentOf, remember, SOCKET } from './written.ts'

interface Target {
  target: Field
  append: boolean
  /** What the command prints goes there; else only its errors, or what it writes to some other descriptor. */
  output: boolean
}

export interface Redirects {
  wiring: Wiring
  targets: readonly Target[]
  sources: readonly Field[]
  /** Descriptors that somebody reads: what is written to them is that one's input. */
  fed: readonly string[]
  /** Some file or text is read or written, and not only one descriptor made another. */
  touches: boolean
  shown: string
}

/** Opens what the command reads; what it writes is settled by `finishRedirects`, when its output is known. */
export function applyRedirects(list: readonly Redirection[], shell: Shell, wiring: Wiring, shown: string): Redirects {
  let { stdin, captured } = wiring
  const targets: Target[] = []
  const sources: Field[] = []
  const fed: string[] = []
  for (const redirect of list) {
    spend(shell.run, 10)
    const number = numberOf(redirect)
    const open = (content: Stream | undefined) => {
      if (number === undefined || number === 0) stdin = content
      else if (content) shell.state.descriptors.set(String(number), content)
    }
    if (redirect.type === 'HereDoc') {
      const quoted = redirect.delimiter?.quoted === true
      open(quoted ? stream(redirect.body.text) : expandBody(redirect.body.parts, redirect.body.text, shell))
    } else if (redirect.type === 'HereString') {
      const { text, taints } = expandSingle(redirect.target, shell)
      open(stream(`${text}\n`, taints))
    } else {
      const target = expandSingle(redirect.target, shell)
      const reads = redirect.operator === '<' || redirect.operator === '<>'
      const other = emptiest(target.text)?.replace(/(?<=\d)-$/, '') ?? ''
      if (/&$/.test(redirect.operator) && /^(?:\d+|-)$/.test(other)) {
        if (redirect.operator === '<&') open(shell.state.descriptors.get(other) ?? stdin)
        else if (shell.state.readers.has(other)) fed.push(other)
        continue
      }
      if (reads) open(contentOf(target, shell.state))
      if (reads) sources.push(target)
      if (reads && isSecret(target, shell.state)) report(shell.run, 'unknown', READS_SECRET, shown)
      if (reads && SOCKET.test(target.text)) report(shell.run, 'unknown', CONNECTS, shown)
      if (redirect.operator === '<') continue
      const output = (number ?? 1) === 1 || redirect.operator.startsWith('&')
      targets.push({ target, append: redirect.operator.includes('>>'), output })
      if (output) captured = true
    }
  }
  const opened = [...sources, ...targets.map(({ target }) => target)]
  const here = list.some(({ type }) => type === 'HereDoc' || type === 'HereString')
  const touches = here || opened.some((word) => word.content || placeOf(word, shell.state) !== 'sink')
  return { wiring: { ...wiring, stdin, captured: captured || fed.length > 0 }, targets, sources, fed, touches, shown }
}

/** `program` is what was redirected, when that is one program. */
export function finishRedirects(redirects: Redirects, output: Stream, shell: Shell, program = ''): Stream {
  const { targets, sources, fed, shown } = redirects
  for (const descriptor of fed) shell.state.readers.get(descriptor)?.(output)
  for (const source of sources) see(source, 'read', shell)
  for (const { target, append, output: prints } of targets)
    see(target, 'write', shell, append ? undefined : prints && isNothing(output) ? 'emptied' : 'written')
  if (targets.length === 0) return output
  let left = output
  for (const { target, append, output: prints } of targets) {
    if (target.content) continue
    if (placeOf(target, shell.state) !== 'sink') shell.run.reading.more = true
    if (SOCKET.test(target.text)) {
      const leaks = output.taints.some((taint) => taint === 'secret' || taint === 'environment')
      const hands = /^(?:exec|(?:ba|z|da|k|a)?sh|python\d?|perl|ruby|node|php)$/.test(program)
      report(shell.run, leaks || hands ? 'destructive' : 'unknown', hands ? OFFERS_SHELL : SENDS, shown)
    } else if (placeOf(target, shell.state) !== 'sink') {
      const emptied = !append && prints && isNothing(output) ? judgeEmptied(target, shell.state) : []
      const dumped = prints && output.taints.some(isKept) && !isKeeper(target, shell)
      const danger = judgeWrite(target, shell.state) ?? emptied[0] ?? (dumped ? KEEPS_SECRETS : undefined)
      report(shell.run, danger ? 'destructive' : 'unknown', danger ?? WRITES, shown)
    }
    if (!prints) continue
    remember(target, append, output, shell.state)
    const path = resolvePath(target.text, shell.state)
    if (path !== undefined) shell.state.readers.get(path)?.(output)
    left = stream('')
  }
  return left
}

const isKept = (taint: Taint): boolean => taint === 'environment' || taint === 'credential'

/** Scratch, and files that are there for credentials: `.env`, `.npmrc`. */
const isKeeper = (target: Field, { state }: Shell): boolean =>
  placeOf(target, state) === 'temp' || isSecret(target, state) || /(?:^|\/)\.[\w-]*rc$/.test(target.text)

const numberOf = ({ descriptor }: Redirection): number | undefined =>
  descriptor?.type === 'FileDescriptor' ? descriptor.value : undefined

/** `: > file`, `echo > file`. */
const isNothing = ({ text, taints }: Stream): boolean => taints.length === 0 && text.trim() === ''

function see(word: Field, access: 'read' | 'write', { run, state }: Shell, loses?: SeenFile['loses']): void {
  if (word.content || placeOf(word, state) === 'sink') return
  const [, host] = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(word.text) ?? []
  if (host === undefined) seeFile(word, access, { run, state }, { loses })
  else seeHost({ ...word, text: host }, access === 'write', { run, state })
}

const SENDS = {
  category: 'exfiltration',
  radius: 'high',
  reason: 'It sends data over a raw network connection.',
} as const
const READS_SECRET = {
  category: 'secret-read',
  radius: 'medium',
  reason: 'It reads a file that holds credentials.',
} as const
const CONNECTS = {
  category: 'unresolved',
  radius: 'medium',
  reason: 'It opens a raw network connection.',
} as const
const KEEPS_SECRETS = {
  category: 'secret-read',
  radius: 'medium',
  reason: 'It writes credentials of the environment to a file.',
} as const
const WRITES = { category: 'fs-modify', radius: 'low', reason: 'It writes to a file.' } as const

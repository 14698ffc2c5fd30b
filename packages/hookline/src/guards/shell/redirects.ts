import type { Redirection } from '../../shell/syntax/index.ts'
import { expandBody, expandSingle } from './expand.ts'
import { report } from './findings.ts'
import { judgeWrite } from './losses.ts'
import { placeOf } from './places.ts'
import { type Field, type Stream, stream } from './text.ts'
import type { Shell, Wiring } from './types.ts'
import { contentOf, remember, SOCKET } from './written.ts'

export interface Redirects {
  wiring: Wiring
  targets: readonly { target: Field; append: boolean }[]
  shown: string
}

/** Opens what the command reads; what it writes is settled by `finishRedirects`, when its output is known. */
export function applyRedirects(list: readonly Redirection[], shell: Shell, wiring: Wiring, shown: string): Redirects {
  let { stdin, captured } = wiring
  const targets: { target: Field; append: boolean }[] = []
  for (const redirect of list) {
    if (redirect.type === 'HereDoc') {
      const quoted = redirect.delimiter?.quoted === true
      stdin = quoted ? stream(redirect.body.text) : expandBody(redirect.body.parts, redirect.body.text, shell)
    } else if (redirect.type === 'HereString') {
      const { text, taints } = expandSingle(redirect.target, shell)
      stdin = stream(`${text}\n`, taints)
    } else {
      const target = expandSingle(redirect.target, shell)
      const reads = redirect.operator === '<' || redirect.operator === '<>'
      if (/&$/.test(redirect.operator) && /^(?:\d+-?|-)$/.test(target.text)) continue
      if (reads) stdin = contentOf(target, shell.state)
      if (reads && SOCKET.test(target.text)) report(shell.run, 'unknown', CONNECTS, shown)
      if (redirect.operator === '<') continue
      targets.push({ target, append: redirect.operator.includes('>>') })
      const descriptor = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : 1
      if (descriptor === 1 || redirect.operator.startsWith('&')) captured = true
    }
  }
  return { wiring: { ...wiring, stdin, captured }, targets, shown }
}

/** `program` is what was redirected, when that is one program. */
export function finishRedirects(redirects: Redirects, output: Stream, shell: Shell, program = ''): Stream {
  const { targets, shown } = redirects
  if (targets.length === 0) return output
  let left = output
  for (const { target, append } of targets) {
    if (target.content) continue
    if (placeOf(target, shell.state) !== 'sink') shell.run.reading.more = true
    if (SOCKET.test(target.text)) {
      const leaks = output.taints.some((taint) => taint === 'secret' || taint === 'environment')
      const hands = /^(?:exec|(?:ba|z|da|k|a)?sh|python\d?|perl|ruby|node|php)$/.test(program)
      report(shell.run, leaks || hands ? 'destructive' : 'unknown', hands ? HANDS_OVER : SENDS, shown)
    } else if (placeOf(target, shell.state) !== 'sink') {
      const danger = judgeWrite(target, shell.state)
      report(shell.run, danger ? 'destructive' : 'unknown', danger ?? WRITES, shown)
    }
    remember(target, append, output, shell.state)
    left = stream('')
  }
  return left
}

const SENDS = {
  category: 'exfiltration',
  radius: 'high',
  reason: 'It sends data over a raw network connection.',
} as const
const CONNECTS = {
  category: 'unresolved',
  radius: 'medium',
  reason: 'It opens a raw network connection.',
} as const
const HANDS_OVER = {
  category: 'remote-exec',
  radius: 'high',
  reason: 'It gives a shell on this machine to whoever is at the other end.',
} as const
const WRITES = { category: 'fs-modify', radius: 'low', reason: 'It writes to a file.' } as const

/** What a command leaves behind that later commands of the same line meet: files, and names for programs. */

import { flagValues, hasFlag, parseArguments, readOptions } from './arguments.ts'
import { lookup } from './lookup.ts'
import { resolvePath } from './places.ts'
import { contentOf, remember } from './redirects.ts'
import { type Field, field, SOME, stream } from './text.ts'
import type { Call, State } from './types.ts'

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

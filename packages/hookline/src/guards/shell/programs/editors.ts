/** Text tools that can run commands or write files from their own little languages. */

import { flagValues, hasFlag, parseArguments, readOptions } from '../../../shell/index.ts'
import { SENDS_SECRET } from '../dangers.ts'
import { judgeDeletion } from '../deletions.ts'
import { judgeWrite } from '../losses.ts'
import { placeOf } from '../places.ts'
import { runScript } from '../scripts.ts'
import { isSecret } from '../sensitive.ts'
import { type Field, field, stream } from '../text.ts'
import type { Call, Danger } from '../types.ts'
import type { Family } from './rules.ts'
import { sedActions } from './sed.ts'

/** `-s` names a script only outside of batch mode: to take it for a switch hides no command. */
const VI_OPTIONS = '-c:S:T:u:w: --cmd='

export const editors: Family = {
  judges: {
    'nano pico': (call) => {
      const args = parseArguments(call.args, readOptions('-s:T:r:o:C: --speller='))
      for (const speller of flagValues(args, 's|--speller')) if (speller) runScript(speller, call)
      return undefined
    },
    'sed gsed': (call) => {
      const args = parseArguments(call.args, readOptions('-e:f:l:E --expression= --file= --line-length='))
      const given = flagValues(args, 'e|--expression').map((value) => value?.text ?? '')
      const scripts = given.length > 0 ? given : [args.operands[0]?.text ?? '']
      return scripts
        .flatMap((script) => sedActions(script))
        .flatMap((action) => {
          if (action.kind === 'execute') {
            runScript(stream(action.argument), call)
            return [EXECUTES]
          }
          if (action.kind === 'read') return isSecret(field(action.argument), call.state) ? [READS_SECRET] : []
          return action.kind === 'write' && !/^\/dev\/std(?:out|err)$/.test(action.argument)
            ? [judgeWrite(field(action.argument), call.state) ?? OVERWRITES]
            : []
        })
    },
    'awk gawk mawk nawk': (call) => {
      const args = parseArguments(
        call.args,
        readOptions('-F:v:f:e:E:i:l: --field-separator= --assign= --file= --source='),
      )
      const program = flagValues(args, 'e|--source')[0] ?? args.operands[0]
      return program ? judgeAwk(program, call) : undefined
    },
    'vi vim nvim view ex gvim vimdiff rvim': (call) => {
      const args = parseArguments(call.args, readOptions(VI_OPTIONS))
      // In batch mode `-s` takes no value, and commands come from the input.
      const batch = call.name === 'ex' || hasFlag(args, 'e|E')
      const commands = [...flagValues(args, 'c|--cmd').map((value) => value?.text ?? ''), ...plusCommands(call)]
      const typed = batch && call.wiring.stdin ? call.wiring.stdin.text.split('\n') : []
      commands.push(...typed)
      return commands.flatMap((command) => judgeEx(command, call))
    },
    'ed red': (call) =>
      call.wiring.stdin ? call.wiring.stdin.text.split('\n').flatMap((line) => judgeEx(line, call)) : [],
    'emacs emacsclient': (call) =>
      call.args.some(
        (word) => /^--?(?:eval|execute|e|f|funcall|l|load)$/.test(word.text) || word.text.startsWith('--eval='),
      )
        ? EXECUTES
        : undefined,
    'less more most man git-help': (call) => {
      const shell = plusCommands(call).filter((command) => /^!/.test(command))
      for (const command of shell) runScript(stream(command.slice(1)), call)
      return shell.length > 0 ? EXECUTES : undefined
    },
    man: (call) =>
      call.args.some((word) => /^(?:-[a-zA-Z]*[PH]|--pager|--html)/.test(word.text)) ? EXECUTES : undefined,
    'grep egrep fgrep rg ag ack': (call) => {
      const given = call.wiring.stdin?.taints.includes('environment') && !call.wiring.captured
      const wanted = call.args.some(({ text }) => LOOKS_FOR_SECRETS.test(text))
      const recursive =
        !/grep/.test(call.name) ||
        call.args.some(({ text }) => /^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive$/.test(text))
      const everywhere =
        recursive && call.args.slice(1).some((word) => /^(?:root|home)$/.test(placeOf(word, call.state)))
      const quiet = call.args.some(({ text }) => /^-[a-zA-Z]*[lcq]|^--(?:files-with-matches|count|quiet)$/.test(text))
      return wanted && (given || (everywhere && !quiet)) ? READS_SECRET : undefined
    },
    'rg ripgrep': (call) =>
      call.args.some((word) => /^--(?:pre|hostname-bin)(?:=|$)/.test(word.text)) ? EXECUTES : undefined,
    'sort gsort': (call) => {
      const args = parseArguments(call.args, readOptions('-k:t:o:S:T: --compress-program= --output= --key='))
      if (hasFlag(args, '--compress-program')) return EXECUTES
      return flagValues(args, 'o|--output').flatMap((word) => (word && judgeWrite(word, call.state)) ?? [])
    },
    'split csplit': (call) => (call.args.some((word) => word.text.startsWith('--filter')) ? EXECUTES : undefined),
    'tar gtar bsdtar': (call) => {
      const actions = call.args.filter((word) => word.text.startsWith('--checkpoint-action=exec='))
      for (const action of actions)
        runScript(stream(action.text.slice('--checkpoint-action=exec='.length), action.taints), call)
      const runs = call.args.some((word) =>
        /^--(?:to-command|use-compress-program|info-script|new-volume-script|rsh-command|rmt-command)/.test(word.text),
      )
      return actions.length > 0 ||
        (runs && !call.args.some((word) => /=(?:gzip|pigz|xz|zstd|bzip2|lz4|zstdmt)\b/.test(word.text)))
        ? EXECUTES
        : undefined
    },
    zip: (call) =>
      call.args.some((word) => word.text === '-TT' || word.text.startsWith('--unzip-command')) ? EXECUTES : undefined,
    'xxd uniq tree': (call) => {
      const args = parseArguments(call.args, readOptions('-c:g:l:s:o:L:P:I:R:'))
      const target = call.name === 'tree' ? flagValues(args, 'o')[0] : args.operands[1]
      return target && judgeWrite(target, call.state)
    },
    'tcpdump ffmpeg wireshark tshark': (call) =>
      call.args.some((word) => /^-z$|^--postrotate/.test(word.text)) ? EXECUTES : undefined,
  },
}

/** awk runs `system("…")`, `"…" | getline` and `print | "…"`, and writes with `print > "…"`. */
function judgeAwk(program: Field, call: Call): Danger[] {
  const { text } = program
  const dangers: Danger[] = []
  const commands = [
    /\bsystem\s*\(\s*"((?:\\.|[^"\\])*)"/g,
    /\|&?\s*"((?:\\.|[^"\\])*)"/g,
    /"((?:\\.|[^"\\])*)"\s*\|&?\s*getline/g,
  ]
  for (const pattern of commands)
    for (const [, command = ''] of text.matchAll(pattern)) runScript(stream(command.replace(/\\(.)/g, '$1')), call)
  for (const [, printed = ''] of text.matchAll(
    /\bprintf?\s*\(?\s*"((?:\\.|[^"\\])*)"\s*\)?\s*\|&?\s*"[^"]*\b(?:ba|z|da|k)?sh\b/g,
  ))
    runScript(stream(printed.replace(/\\(.)/g, '$1')), call)
  if (/\|&?\s*"[^"]*\b(?:ba|z|da|k)?sh\b[^"]*"/.test(text)) dangers.push(EXECUTES)
  if (/\bsystem\s*\(/.test(text) || /\|&?\s*getline/.test(text)) dangers.push(EXECUTES)
  for (const [, source = ''] of text.matchAll(/\bgetline\b[^<;}]*<\s*"((?:\\.|[^"\\])*)"/g))
    if (isSecret(field(source), call.state)) dangers.push(READS_SECRET)
  // gawk's own connections: https://www.gnu.org/software/gawk/manual/html_node/TCP_002fIP-Networking.html
  if (/"\/inet[46]?\/(?:tcp|udp)\//.test(text)) {
    const files = [...text.matchAll(/<\s*"((?:\\.|[^"\\])*)"/g)].map(([, file = '']) => field(file))
    const given = [...files, ...call.args.slice(1)]
    dangers.push(given.some((file) => isSecret(file, call.state)) ? SENDS_SECRET : CONNECTS)
  }
  for (const [, target = ''] of text.matchAll(/>{1,2}\s*"((?:\\.|[^"\\])*)"/g)) {
    if (!/^\/dev\/std(?:out|err)$/.test(target)) dangers.push(judgeWrite(field(target), call.state) ?? OVERWRITES)
  }
  return dangers
}

function plusCommands(call: Call): string[] {
  return call.args.filter((word) => word.text.startsWith('+')).map((word) => word.text.slice(1))
}

/** One line of ex: `:!cmd`, `w !cmd`, `r !cmd`, `w file`, `call system('…')`. */
function judgeEx(line: string, call: Call): Danger[] {
  const [, shell] = /^[:\s]*(?:silent!?\s+|\d*,?[$%]?\s*)*(?:w|r|read|write)?\s*!(.*)$/.exec(line) ?? []
  const [, called] = /system\w*\(\s*['"](.*)['"]/.exec(line) ?? []
  const command = shell ?? called
  if (command !== undefined) {
    runScript(stream(command), call)
    return [EXECUTES]
  }
  const [, quoted, computed, how = ''] =
    /\bdelete\(\s*(?:expand\(\s*)?(?:['"]([^'"]*)['"]|(?=\$HOME))(\$HOME)?\s*\)?\s*(?:,\s*['"](\w+)['"])?/.exec(line) ??
    []
  const deleted = quoted ?? computed
  if (deleted !== undefined) {
    const path = deleted.replace(/^(?:~|\$HOME)(?=\/|$)/, call.state.home)
    return judgeDeletion(field(path), how.includes('r'), true, call.state)
  }
  const [, target] = /^[:\s]*w(?:rite)?!?\s+(\S+)/.exec(line) ?? []
  const danger = target && judgeWrite(field(target), call.state)
  if (danger) return [danger]
  return /^[:\s]*(?:py3?|python3?|lua|ruby|perl|luafile|source|so)\b/.test(line) ? [EXECUTES] : []
}

const LOOKS_FOR_SECRETS =
  /secret|passw|token|credential|api[-_]?key|access[-_]?key|private[-_ ]?key|auth|AKIA|ghp_|sk-|xox[bp]/i
const EXECUTES: Danger = {
  category: 'hidden-exec',
  radius: 'medium',
  reason: 'It runs another command from inside a tool that only seems to read.',
}
const OVERWRITES: Danger = {
  category: 'fs-overwrite',
  radius: 'medium',
  reason: 'It writes a file from inside a tool that only seems to read.',
}
const CONNECTS: Danger = {
  category: 'exfiltration',
  radius: 'medium',
  reason: 'It opens a connection to another machine from inside a tool that only seems to read.',
}
const READS_SECRET: Danger = {
  category: 'secret-read',
  radius: 'medium',
  reason: 'It shows credentials, which then are in the conversation for good.',
}

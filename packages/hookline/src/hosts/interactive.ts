import {
  interpreterNamed,
  isShell,
  parseArguments,
  programName,
  readOptions,
  shellRow,
  wrappedBy,
} from '../shell/index.ts'
import { readShell, type ShellCommand, textOf } from '../shell/syntax/index.ts'

/** Programs that take commands from whoever types, and the options by which they get them at once. */
const clients: Readonly<Record<string, RegExp>> = {
  ...each('psql', /^(?:-c|-f|-l|--command|--file|--list|--version|--help)/),
  ...each('mysql mariadb', /^(?:-e|--execute|--version|--help)/),
  ...each('mongosh mongo', /^--(?:eval|file|version|help)/),
  ...each('gdb lldb', /^-+(?:batch|version|help)/),
  ...each('ghci jshell irb ipython', /^--?(?:e|c|version|help)/),
  // Editors, multiplexers and terminals run whatever one types.
  ...each('vi vim nvim nano emacs ed ex screen tmux script expect su login ftp sftp telnet', /^--(?:version|help)/),
}

function each(names: string, atOnce: RegExp): Record<string, RegExp> {
  return Object.fromEntries(names.split(' ').map((name) => [name, atOnce]))
}

/** Names of standard input where a file is expected. */
const typed = /^(?:-|\/dev\/(?:stdin|tty|fd\/0)|\/proc\/self\/fd\/0)$/

/**
 * The program in a command line that would take further commands from whoever types into it: a shell, the prompt of a
 * language, an editor. Undefined where every program gets what it runs at once.
 */
export function opensPrompt(command: unknown): string | undefined {
  if (typeof command !== 'string') return undefined
  for (const each of readShell(command).commands) {
    const words = each.words.map((word) => ({ text: textOf(word, () => undefined) }))
    const found = promptIn(words)
    if (found !== undefined && !isFed(each, command)) return found
  }
  return undefined
}

interface PlainWord {
  text: string | undefined
}

function promptIn(words: readonly PlainWord[], depth = 0): string | undefined {
  const [first, ...args] = words
  if (first?.text === undefined || depth > 8) return undefined
  const program = programName(first.text)
  for (const { words: inner } of wrappedBy(program, args)) {
    const found = promptIn(inner, depth + 1)
    if (found !== undefined) return found
  }
  const texts = args.map(({ text }) => text ?? 'unknown')
  if (program === 'sudo' || program === 'doas')
    return texts.some((text) => /^-[a-z]*[is]/i.test(text) || /^--(?:login|shell)$/.test(text)) ? program : undefined
  if (program === 'source' || program === '.') return typed.test(texts[0] ?? '') ? program : undefined
  if (Object.hasOwn(clients, program)) return texts.some((text) => clients[program]!.test(text)) ? undefined : program
  const row = isShell(program) ? shellRow : interpreterNamed(program)
  if (!row || row.operand === 'code') return undefined
  const { flags, operands } = parseArguments(args, readOptions(row.options))
  const has = (names: string) => flags.some(({ name }) => names.split('|').includes(name))
  if (isShell(program) && (has('i') || has('s'))) return program
  if (has('i') || has('--interactive')) return program
  if (has(row.code) || has(row.inert ?? '\0') || has(row.module ?? '\0')) return undefined
  const operand = operands.find(({ text }) => !(row.verbs ?? '').split('|').includes(text ?? ''))?.text
  const isNone = operands.length === 0 || (operand !== undefined && typed.test(operand))
  return isNone && !flags.some(({ name }) => /version|help/.test(name)) ? program : undefined
}

/** Its standard input is a file, a text or the output of another program, and not whoever types. */
function isFed({ input, words }: ShellCommand, source: string): boolean {
  if (input) return true
  const span = words[0]?.span
  if (!span) return false
  const before = source.slice(0, span[0])
  const line = source.slice(span[1]).split(/[\n;|&]/, 1)[0]!
  if (/<<|<\(/.test(line)) return true
  return /\|&?\s*$/.test(before) && !/(?:^|[\s;|&({])(?:cat|tee)(?:\s+-)?\s*\|&?\s*$/.test(before)
}

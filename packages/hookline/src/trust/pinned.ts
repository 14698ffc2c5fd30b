import { dirname, resolve } from 'node:path'
import { isRecord } from '../core/index.ts'
import { injectingVariable, isShell, quoteWord, runsScripts, takesScriptFile } from '../shell/index.ts'
import { type Approvable, isWorkspace } from './digest.ts'
import { type Pinned, Pins, type Place } from './pins.ts'
import { isRunner, programOf, type SimpleCommand, shellCommands, type Word } from './programs.ts'

/** Where the copy of a file is. */
export type CopyOf = (path: string) => string

/** What stands in for parts of a hook's `run`, so that it runs the copies. */
type Instead = (copyOf: CopyOf) => Record<string, unknown>

/** What a run of each type executes besides its definition. Types that are not here run what they say and nothing else. */
const pinners: Record<string, (hook: Approvable, pins: Pins) => Instead | undefined> = {
  command: pinProgram,
  resident: pinProgram,
  mcp: pinProgram,
  function: ({ run, origin }, pins) => {
    const module = run['module']
    if (typeof module !== 'string') return undefined
    const file = module.replace(/#.*$/s, '')
    const word = { raw: module }
    pins.path(resolve(origin.where ? dirname(origin.where.file) : pins.place.directory, file), false, word)
    return (copyOf) => ({ module: `${replaced(word, pins, copyOf) ?? file}${module.slice(file.length)}` })
  },
  builtin: ({ run }, pins) => {
    const args = isRecord(run['args']) ? run['args'] : {}
    const command = args['command']
    const words = wordsOf(typeof command === 'string' ? command.split(/\s+/) : command)
    if (words.length > 0) pinCommand({ words }, pins)
    return (copyOf) => ({ args: { ...args, command: replacedAll(words, pins, copyOf) } })
  },
}

export interface PinnedRun extends Pinned {
  /** Absent: nothing of it can run from a copy. */
  instead?: Instead
}

export function pinnedBy(hook: Approvable, place: Place): PinnedRun {
  const pins = new Pins(place, hook)
  const instead = pinners[hook.run.type]?.(hook, pins)
  for (const [name, value] of Object.entries(hook.env)) {
    if (injects(name, value, hook))
      pins.found.refused.push(`its \`env\` sets ${name}, which loads code into every program it starts`)
    else if (injectingVariable(name)) pins.found.unpinned.push(`${name}=${value} makes programs load more code`)
  }
  const named = [...pins.uses.values()].some((use) => 'path' in use)
  return instead && named ? { ...pins.found, instead } : pins.found
}

/** Options of Node that only set limits and say what is told. */
const harmlessOptions =
  /^(?:\s*--(?:max-(?:old|semi)-space-size|stack-trace-limit|(?:no-|trace-)?(?:warnings|deprecation)|enable-source-maps)(?:=\S*)?)*\s*$/

/** Nobody may; and what a project brings must not, whoever looks at it. */
function injects(name: string, value: string, { origin }: Approvable): boolean {
  const { does, first = false } = injectingVariable(name) ?? {}
  if (does === 'preload' || does === 'loader') return true
  return isWorkspace(origin.layer) && first && !harmlessOptions.test(value)
}

function pinProgram({ run }: Approvable, pins: Pins): Instead | undefined {
  const { command, args, shell, files } = run
  if (typeof command !== 'string') return undefined
  const { fill = (argument: string) => argument } = pins.place
  const words = Array.isArray(args) ? wordsOf([command, ...args.map((each) => fill(String(each)))]) : undefined
  if (words) pinCommand({ words }, pins)
  else pins.program(shell === 'bash' || shell === 'auto' ? 'bash' : '/bin/sh')
  const text = words ? [] : pinShell(command, pins)
  if (!words && /(?:^|[\s;&|(])PATH\+?=/.test(command))
    pins.found.unpinned.push('the command sets PATH, so where its programs are is known only when it runs')
  if (Array.isArray(files)) for (const file of files) pins.tree(resolve(pins.place.directory, String(file)))
  return (copyOf) => {
    if (!words) return { command: rewritten(command, text, pins, copyOf) }
    const [program, ...rest] = replacedAll(words, pins, copyOf)
    return { command: program, args: rest }
  }
}

/** Gives back the words of the text. */
function pinShell(source: string, pins: Pins): Word[] {
  const commands = shellCommands(source, pins.lookup)
  for (const command of commands) pinCommand(command, pins, true)
  const words = commands.flatMap(({ words, input }) => (input ? [...words, input] : words))
  pins.stay(
    words.filter(({ span }) => !span),
    'it stands in backquotes behind backslashes',
  )
  return words
}

function pinCommand({ words, input }: SimpleCommand, pins: Pins, inShell = false): void {
  const { program, operands, inline = [], code, loads = [], directory, unpinned } = programOf(words, inShell)
  pins.found.unpinned.push(...unpinned)
  if (directory) pins.enter(directory)
  for (const { source, word } of inline) {
    const inner = pinShell(source, pins)
    if (typeof word === 'string') pins.stay(inner, word)
    else pins.uses.set(word, { source, words: inner })
  }
  const name = program?.text
  const isGiven = inline.length === 0 && code === undefined
  if (inShell && (name === 'cd' || name === 'pushd')) pins.enter(operands[0])
  else if (inShell && (name === 'source' || name === '.')) pins.sourced(operands[0])
  else if (name !== undefined && runsScripts(name)) {
    pins.program(name, program)
    if (code !== undefined) pinCode(code, name, pins)
    for (const word of loads) pins.operand(word, { expected: true, shell: isShell(name), runs: words.includes(word) })
    const scripts = operands.length === 0 && input ? [input] : operands
    pinScripts(scripts, pins, { expected: isGiven, shell: isShell(name), runs: true })
    if (scripts.length === 0 && isGiven && unpinned.length === 0 && !words.some(isQuestion))
      pins.found.unpinned.push(`${name} reads its program from standard input`)
  } else if (name !== undefined) {
    if (name.includes('/')) pins.path(name, true, program)
    else pins.found.unpinned.push(pins.program(name) ? `${name} is found by its name` : `${name} is not there now`)
    const runs = name.includes('/') || isRunner(name)
    for (const [index, word] of operands.entries()) {
      const expected = takesScriptFile(name) && /^(?:-f|--file|--from-file)$/.test(operands[index - 1]?.text ?? '')
      pins.operand(word, { expected, shell: false, runs })
    }
  } else {
    // Whatever program it turns out to be, it may run what it is given.
    if (program) pins.open(program)
    pinScripts(operands, pins, { expected: program !== undefined, shell: true, runs: true })
  }
}

/** The first that is there is the script; others count if they look like one. */
function pinScripts(
  words: readonly Word[],
  pins: Pins,
  how: { expected: boolean; shell: boolean; runs: boolean },
): void {
  let { expected } = how
  for (const word of words) expected = !pins.operand(word, { ...how, expected }) && expected
}

const literal = /(["'`])((?:[\w@.+-]*\/)*[\w@.+-]+)\1/g
const loadsMore =
  /\b(?:import|require|exec\w*|eval|open|load\w*|do|use|include\w*|source|system|spawn\w*|popen|run\w*|read\w*)\b/

/** A program that stands in the command in another language than the shell's: files that it names count. */
function pinCode(code: string, name: string, pins: Pins): void {
  for (const [raw, , text] of code.matchAll(literal))
    pins.operand({ raw, text: text! }, { expected: false, shell: false, runs: false })
  if (loadsMore.test(code)) pins.found.unpinned.push(`what the code of ${name} loads by itself`)
}

/** `node --version` runs no program. */
const isQuestion = ({ text }: Word): boolean => /^(?:-[vVh]|--version|--help)$/.test(text ?? '')

const wordsOf = (texts: unknown): Word[] =>
  Array.isArray(texts) ? texts.map((text) => ({ raw: String(text), text: String(text) })) : []

/** What a word says once it names a copy; undefined for words that name none. */
function replaced(word: Word, pins: Pins, copyOf: CopyOf): string | undefined {
  const use = pins.uses.get(word)
  if (use === undefined) return undefined
  return 'path' in use ? use.before + copyOf(use.path) : rewritten(use.source, use.words, pins, copyOf)
}

const replacedAll = (words: readonly Word[], pins: Pins, copyOf: CopyOf): string[] =>
  words.map((word) => replaced(word, pins, copyOf) ?? word.text ?? word.raw)

/** The shell text with other words in the place of some. From the end, so that the places before it stay. */
function rewritten(source: string, words: readonly Word[], pins: Pins, copyOf: CopyOf): string {
  let text = source
  for (const word of words.toSorted((one, other) => (other.span?.[0] ?? 0) - (one.span?.[0] ?? 0))) {
    const instead = replaced(word, pins, copyOf)
    if (instead !== undefined && word.span)
      text = text.slice(0, word.span[0]) + quoteWord(instead) + text.slice(word.span[1])
  }
  return text
}

import { dirname, resolve } from 'node:path'
import { isRecord, type Pin } from '../core/index.ts'
import { injectingVariable, isShell, quoteWord, runsScripts, takesScriptFile } from '../shell/index.ts'
import { type Approvable, isWorkspace } from './digest.ts'
import { type Pinned, Pins, type Place } from './pins.ts'
import { isRunner, programOf, runsWhatSays, type SimpleCommand, shellCommands, type Word } from './programs.ts'

/** Where the copy of a file is. */
export type CopyOf = (path: string) => string

/** The fields of a hook's `run` that change when it runs the copies. */
type RewriteToCopies = (copyOf: CopyOf) => Record<string, unknown>

export interface PinnedRun extends Pinned {
  /** Absent: nothing of it can run from a copy. */
  rewriteToCopies?: RewriteToCopies
}

/** Which bytes run, as the executor of the hook declares. Where it does not, or wrongly, the hook is refused. */
export function pinnedBy(hook: Approvable, place: Place): PinnedRun {
  const pins = new Pins(place, hook)
  const rewrites = pinsOf(hook, place, pins).map((pin) => follow(pin, hook, pins))
  for (const [name, value] of Object.entries(hook.env)) {
    if (injects(name, value, hook))
      pins.found.refused.push(`its \`env\` sets ${name}, which loads code into every program it starts`)
    else if (injectingVariable(name)) pins.found.unpinned.push(`${name}=${value} makes programs load more code`)
  }
  const named = [...pins.uses.values()].some((use) => 'path' in use || 'instead' in use)
  if (!named) return pins.found
  return {
    ...pins.found,
    rewriteToCopies: (copyOf) => Object.assign({}, ...rewrites.map((rewrite) => rewrite?.(copyOf))),
  }
}

function pinsOf({ run }: Approvable, place: Place, { found }: Pins): readonly Pin[] {
  try {
    const pins = place.pins?.(run)
    if (Array.isArray(pins) && pins.every(isPin)) return pins
    found.refused.push(`hooks of type \`${run.type}\` do not say which bytes they run (\`pins\`)`)
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    found.refused.push(`which bytes a hook of type \`${run.type}\` runs cannot be determined: ${detail}`)
  }
  return []
}

/** Executors may be written without a type checker. A pin that names two things would cover only one of them. */
function isPin(pin: unknown): pin is Pin {
  if (!isRecord(pin)) return false
  const { file, tree, words, script, shell, instead } = pin
  if ([file, tree, words, script].filter((named) => named !== undefined).length !== 1) return false
  if (instead !== undefined && typeof instead !== 'function') return false
  if (Array.isArray(words)) return words.length > 0 && words.every((word) => typeof word === 'string')
  return [file, tree, typeof shell === 'string' ? script : undefined].some((text) => typeof text === 'string')
}

/** Pins what it names; gives back how it is named once it has copies. */
function follow(pin: Pin, { origin }: Approvable, pins: Pins): RewriteToCopies | undefined {
  if (pin.tree !== undefined) {
    pins.tree(resolve(pins.place.directory, pin.tree))
    return undefined
  }
  if (pin.words !== undefined) {
    const { fill = (argument: string) => argument } = pins.place
    const words = wordsOf(pin.words.map((word, at) => (at === 0 ? word : fill(word))))
    pinCommand({ words }, pins)
    if (!pin.instead) pins.stay(words, inPlace)
    return (copyOf) => ({ ...pin.instead?.(replacedAll(words, pins, copyOf)) })
  }
  if (pin.script !== undefined) {
    pins.program(pin.shell)
    const words = pinShell(pin.script, pins)
    if (/(?:^|[\s;&|(])PATH\+?=/.test(pin.script))
      pins.found.unpinned.push('the command sets PATH, so where its programs are is known only when it runs')
    if (!pin.instead) pins.stay(words, inPlace)
    return (copyOf) => ({ ...pin.instead?.(rewritten(pin.script, words, pins, copyOf)) })
  }
  const word = { raw: pin.file }
  const base = pin.from === 'config' && origin.where ? dirname(origin.where.file) : pins.place.directory
  pins.path(resolve(base, pin.file), false, word)
  if (!pin.instead) pins.stay([word], inPlace)
  return (copyOf) => ({ ...pin.instead?.(replaced(word, pins, copyOf) ?? pin.file) })
}

const inPlace = 'what runs it cannot be given a copy'

/** Options of Node that only set limits and choose what is printed. */
const harmlessOptions =
  /^(?:\s*--(?:max-(?:old|semi)-space-size|stack-trace-limit|(?:no-|trace-)?(?:warnings|deprecation)|enable-source-maps)(?:=\S*)?)*\s*$/

/** Nobody may; and what a project brings must not, whoever looks at it. */
function injects(name: string, value: string, { origin }: Approvable): boolean {
  const { does, first = false } = injectingVariable(name) ?? {}
  if (does === 'preload' || does === 'loader') return true
  return isWorkspace(origin.layer) && first && !harmlessOptions.test(value)
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
  const use = programOf(words, inShell)
  const { program, operands, inline = [], code, codeWord, loads = [], directory, unpinned } = use
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
    if (use.module !== undefined && isPython.test(name)) pins.pythonModule(use.module)
    if (codeWord?.text !== undefined && isPython.test(name) && !/^\s*from\s+__future__/.test(codeWord.text))
      pins.uses.set(codeWord, { instead: `${withoutWorkspace}${codeWord.text}` })
    for (const word of loads) pins.operand(word, { expected: true, shell: isShell(name), runs: words.includes(word) })
    const scripts = operands.length === 0 && input ? [input] : operands
    pinScripts(scripts, pins, { expected: isGiven, shell: isShell(name), runs: true })
    if (scripts.length === 0 && isGiven && unpinned.length === 0 && !words.some(isQuestion))
      pins.found.unpinned.push(`${name} reads its program from standard input`)
  } else if (name !== undefined) {
    if (name.includes('/')) pins.path(name, true, program)
    else pins.found.unpinned.push(pins.program(name) ? foundByName(name, operands) : `${name} is not there now`)
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

function foundByName(name: string, operands: readonly Word[]): string {
  const says = runsWhatSays(name)
  const searches = /^(?:find|fd|fdfind)$/.test(name) && !operands.some(({ raw }) => /^-(?:exec|ok|x|X|-exec)/.test(raw))
  return says === undefined || searches ? `${name} is found by its name` : `${name} runs what ${says} at that moment`
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

const isPython = /(?:^|\/)(?:python|pypy)[\d.]*$/

/** For a text, Python looks for modules in the working directory first: there, whoever writes a `json.py` would be in every guard. */
const withoutWorkspace = "import sys; sys.path[:1] = [p for p in sys.path[:1] if p != '']\n"

/** `node --version` runs no program. */
const isQuestion = ({ text }: Word): boolean => /^(?:-[vVh]|--version|--help)$/.test(text ?? '')

const wordsOf = (texts: unknown): Word[] =>
  Array.isArray(texts) ? texts.map((text) => ({ raw: String(text), text: String(text) })) : []

/** The text of a word once it names a copy; undefined for words that name none. */
function replaced(word: Word, pins: Pins, copyOf: CopyOf): string | undefined {
  const use = pins.uses.get(word)
  if (use === undefined) return undefined
  if ('instead' in use) return use.instead
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

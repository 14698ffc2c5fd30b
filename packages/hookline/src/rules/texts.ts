import type { NamedRule, RuleTarget } from '../core/index.ts'
import { type CommandReading, readCommands } from '../guards/shell/index.ts'
import { matchesGlob } from '../shell/index.ts'
import { type Match, maybe, no, yes } from './glob.ts'

/**
 * A target over whole texts, in which `*` spans words and directories: what the permission patterns of agents compile to
 * (`shell:cmd=ls*`, `edit_file:path=src/*`). An internal form: no file and no rule in code can hold it, because what
 * people write for us is matched by words and places.
 */
export interface TextPattern {
  /** A pattern of the name of the tool. */
  tool: string
  /** What must hold of its arguments; all of it. Those about a command must hold of the same command. */
  where: readonly { key: string; glob: string }[]
}

export interface TextTarget extends RuleTarget {
  text: TextPattern
}

/** A rule about texts; exactly one of deny, ask and allow. */
export interface TextRule extends NamedRule {
  deny?: TextTarget
  ask?: TextTarget
  allow?: TextTarget
}

/** What such rules need to know of a call. */
export interface Texts {
  /** The set that the tool belongs to: who forbids it forbids what is in it. */
  toolset: string
  /** The command line that this is about, where the call has one. */
  line?: CommandLine
  /** The workspace: patterns of paths mean what lies there. */
  cwd: string | undefined
}

export interface CommandLine {
  text: string
  /** Worked out when the first rule needs it. */
  readonly reading: CommandReading
}

/** The pattern, its conditions on commands apart from the others. */
export interface CompiledText {
  tool: string
  commands: readonly string[]
  others: TextPattern['where']
}

export const compileText = ({ tool, where }: TextPattern): CompiledText => ({
  tool,
  commands: where.filter(({ key }) => commandKeys.includes(key)).map(({ glob }) => glob),
  others: where.filter(({ key }) => !commandKeys.includes(key)),
})

interface About {
  names: readonly string[]
  input: Readonly<Record<string, unknown>>
  texts?: Texts
}

/** For deny and ask: whether some part of the call, in some reading and in any case, has the pattern. */
export function touchesTexts({ tool, commands, others }: CompiledText, { names, input, texts }: About): Match {
  if (!texts || ![...names, texts.toolset].some((name) => matchesLoosely(tool, name))) return no
  const holds = ({ key, glob }: TextPattern['where'][number]) =>
    valuesOf(input, key)
      .flatMap((text) => (pathKeys.has(key) ? [text, ...readingsOf(text, texts.cwd)] : [text]))
      .some((text) => matchesLoosely(glob, text))
  const { line } = texts
  if (commands.length === 0) return others.every(holds) ? yes : no
  if (!line) return no
  const found = wordings(line).some((text) => commands.every((glob) => matchesLoosely(glob, text)))
  if (found && others.every(holds)) return yes
  // What cannot be read may also go to another directory first.
  return line.reading.certain ? no : maybe
}

/**
 * For allow: the rules that cover the call in its strictest reading, or none. One that says nothing of commands covers
 * all of it; so does one that is this very line. Otherwise each command needs a rule, and nothing may happen besides.
 */
export function coveringTexts<T extends { target: { text?: CompiledText } }>(rules: readonly T[], about: About): T[] {
  const fitting = rules.filter(({ target }) => target.text && fits(target.text, about))
  const whole = fitting.find((rule) => commandsOf(rule).every((glob) => /^\*+$/.test(glob)))
  if (whole) return [whole]
  const line = about.texts?.line
  if (!line) return []
  const exact = fitting.find((rule) => commandsOf(rule).every((glob) => isExactly(glob, line.text)))
  if (exact) return [exact]
  const { commands, certain, more } = line.reading
  if (!certain || more || commands.length === 0) return []
  const found = commands.map(({ text }) =>
    fitting.find((rule) => commandsOf(rule).every((glob) => matchesCommandStrictly(glob, text))),
  )
  return found.includes(undefined) ? [] : ([...new Set(found)] as T[])
}

const commandsOf = ({ target }: { target: { text?: CompiledText } }): readonly string[] => target.text?.commands ?? []

/** Whether the tool and every argument but the command line match. */
function fits({ tool, others }: CompiledText, { names, input, texts }: About): boolean {
  if (!texts || !names.some((name) => matchesGlob(tool, name))) return false
  return others.every(({ key, glob }) => {
    const values = valuesOf(input, key)
    const matches = (text: string) =>
      (pathKeys.has(key) ? readingsOf(text, texts.cwd) : [text]).some((reading) => matchesGlob(glob, reading))
    return values.length > 0 && values.every(matches)
  })
}

/** `Sudo*` means `sudo` too. */
const matchesLoosely = (glob: string, text: string): boolean => matchesGlob(glob.toLowerCase(), text.toLowerCase())

/** A pattern that ends in a star right behind a word ends at that word: `ls*` allows `ls -l`, and not `lsof`. */
function matchesCommandStrictly(glob: string, text: string): boolean {
  const word = /^(.*[^\s*?])\*$/s.exec(glob)?.[1]
  if (word === undefined || hasWildcard(word)) return matchesGlob(glob, text)
  return matchesGlob(word, text) || matchesGlob(`${word} *`, text)
}

/** Whether a pattern of commands stands for one line and no other. */
export const isOneLine = (glob: string): boolean => !hasWildcard(glob.replace(/\[[*?[]\]/g, ''))

const isExactly = (glob: string, text: string): boolean => isOneLine(glob) && matchesGlob(glob.trim(), text.trim())
const hasWildcard = (glob: string): boolean => /[*?[]/.test(glob)

/** Text that a pattern means literally. */
export const literally = (text: string): string => text.replace(/[*?[]/g, '[$&]')

/** Everything that could be meant by a pattern of commands: the line, and each command as run and as written. */
function wordings({ text: whole, reading }: CommandLine): string[] {
  const commands = reading.commands.flatMap(({ text, shown, program }) => {
    const behind = text.indexOf(' ')
    return [text, shown, behind < 0 ? program : program + text.slice(behind)]
  })
  return [whole, ...commands]
}

/** docker-agent calls it `cmd`, others `command`: one argument with two names, so that neither gets around a rule. */
export const commandKeys: readonly string[] = ['command', 'cmd']

/** The command lines of a call, under either name, each read. */
export function linesOf(input: Readonly<Record<string, unknown>>, cwd: string | undefined): CommandLine[] {
  const texts = commandKeys.map((key) => input[key]).filter((value) => typeof value === 'string')
  return [...new Set(texts)].map((text) => ({
    text,
    get reading() {
      return readCommands({ command: text, ...(cwd === undefined ? {} : { cwd }) })
    },
  }))
}

/** Arguments that are paths: `src/../.env` must not pass for something in `src`. */
const pathKeys = new Set(['path', 'paths', 'file', 'files', 'file_path', 'directory', 'dir', 'cwd'])

/** One argument under the names that tools give it: a rule about one of them means them all. */
const synonyms: readonly (readonly string[])[] = [
  ['path', 'paths', 'file', 'files', 'file_path'],
  ['url', 'urls'],
]

function valuesOf(input: Readonly<Record<string, unknown>>, key: string): string[] {
  const names = synonyms.find((each) => each.includes(key)) ?? [key]
  return names.flatMap((name) => textsOf(input[name]))
}

function textsOf(value: unknown): string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return [typeof value === 'string' ? value : JSON.stringify(value)]
}

/** Where a path leads by its text: from the workspace, and from the root. */
function readingsOf(path: string, cwd: string | undefined): string[] {
  if (cwd === undefined) return [tidy(path)]
  const [from, to] = [stepsOf(`/${cwd}`), stepsOf(path.startsWith('/') ? path : `/${cwd}/${path}`)]
  const parting = from.findIndex((step, at) => step !== to[at])
  const shared = parting < 0 ? from.length : parting
  const relative = [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/')
  return [relative || '.', `/${to.join('/')}`]
}

function tidy(path: string): string {
  const steps = stepsOf(path).join('/')
  const text = `${path.startsWith('/') ? '/' : ''}${steps}` || '.'
  return path.endsWith('/') && !text.endsWith('/') ? `${text}/` : text
}

function stepsOf(path: string): string[] {
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '' || step === '.') continue
    if (step !== '..') steps.push(step)
    else if (steps.length > 0 && steps.at(-1) !== '..') steps.pop()
    else if (!path.startsWith('/')) steps.push('..')
  }
  return steps
}

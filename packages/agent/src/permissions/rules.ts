import { matchesGlob } from 'hookline/internal'
import { type CommandLine, isCommandKey, isPathKey, readingsOf, type Subject, valuesOf } from './subject.ts'

export const rulings = ['allow', 'ask', 'deny'] as const

/** One pattern, taken apart: the tool, and what must hold of its arguments. */
export interface Rule {
  text: string
  tool: string
  conditions: readonly Condition[]
}

export interface Condition {
  key: string
  glob: string
}

/**
 * docker-agent's form, `tool:key=glob:key=glob`. Only `:key=` separates, so that tool names and values may hold colons: `mcp:github:*`,
 * `fetch:url=https://*`.
 */
export function parseRule(text: string): Rule {
  const [tool = '', ...rest] = text.trim().split(/:(\w+)=/)
  const conditions: Condition[] = []
  for (let at = 0; at < rest.length; at += 2) conditions.push({ key: rest[at] ?? '', glob: rest[at + 1] ?? '' })
  return { text, tool: tool.replaceAll(':', '_'), conditions }
}

/** Text that a pattern means literally. */
export const literally = (text: string): string => text.replace(/[*?[]/g, '[$&]')

export const isLiteral = (glob: string): boolean => !/[*?[]/.test(glob)

/** Deny and ask match loosely: `Sudo*` means `sudo` too. */
export const matchesLoosely = (glob: string, text: string): boolean =>
  matchesGlob(glob.toLowerCase(), text.toLowerCase())

/**
 * Allow matches strictly. A command pattern that ends in a star right behind a word ends at that word: `ls*` allows `ls
 * -l`, and not `lsof`.
 */
export function matchesCommandStrictly(glob: string, text: string): boolean {
  const word = /^(.*[^\s*?])\*$/s.exec(glob)?.[1]
  if (word === undefined || !isLiteral(word)) return matchesGlob(glob, text)
  return matchesGlob(word, text) || matchesGlob(`${word} *`, text)
}

/** For deny and ask: does any part of the call, in any reading, fit the rule? */
export function touches(rule: Rule, subject: Subject): boolean {
  const { names, call, lines, cwd } = subject
  // Forbidding a toolset forbids what is in it: `shell` is also the sandbox's shell and the background jobs.
  if (![...names, call.category].some((name) => matchesLoosely(rule.tool, name))) return false
  const commands = commandGlobs(rule)
  return (
    otherConditions(rule).every(({ key, glob }) =>
      valuesOf(call.input, key)
        .flatMap((text) => (isPathKey(key) ? [text, ...readingsOf(text, cwd)] : [text]))
        .some((text) => matchesLoosely(glob, text)),
    ) &&
    (commands.length === 0 ||
      lines.some((line) => wordings(line).some((text) => commands.every((glob) => matchesLoosely(glob, text)))))
  )
}

/** For allow: is every part of the call covered by one of the rules, in its strictest reading? */
export function covers(rules: readonly Rule[], subject: Subject): Rule | undefined {
  const fitting = rules.filter((rule) => fits(rule, subject))
  const whole = fitting.find((rule) => commandGlobs(rule).every((glob) => /^\*+$/.test(glob)))
  if (whole) return whole
  if (subject.lines.length === 0) return undefined
  const found = subject.lines.map((line) => coversExactly(fitting, line) ?? coversEach(fitting, line))
  return found.includes(undefined) ? undefined : found[0]
}

/** A rule that names this very line, without wildcards. */
export function coversExactly(rules: readonly Rule[], line: CommandLine): Rule | undefined {
  return rules.find((rule) => {
    const globs = commandGlobs(rule)
    return globs.length > 0 && globs.every((glob) => isExactly(glob, line.text))
  })
}

/** A line of several commands needs a rule for each; what is written or set besides them, no rule about commands can cover. */
function coversEach(rules: readonly Rule[], line: CommandLine): Rule | undefined {
  const { commands, certain, more } = line.read()
  if (!certain || more || commands.length === 0) return undefined
  const found = commands.map(({ text }) =>
    rules.find((rule) => commandGlobs(rule).every((glob) => matchesCommandStrictly(glob, text))),
  )
  return found.includes(undefined) ? undefined : found[0]
}

/** Whether the tool and every argument but the command line match the rule. */
export function fits(rule: Rule, { names, call, cwd }: Subject): boolean {
  if (!names.some((name) => matchesGlob(rule.tool, name))) return false
  return otherConditions(rule).every(({ key, glob }) => {
    const texts = valuesOf(call.input, key)
    const matches = (text: string) =>
      (isPathKey(key) ? readingsOf(text, cwd) : [text]).some((reading) => matchesGlob(glob, reading))
    return texts.length > 0 && texts.every(matches)
  })
}

/** Everything that could be meant by a rule about commands: the line, and each command as run and as written. */
function wordings(line: CommandLine): string[] {
  const commands = line.read().commands.flatMap(({ text, shown, program }) => {
    const behind = text.indexOf(' ')
    return [text, shown, behind < 0 ? program : program + text.slice(behind)]
  })
  return [line.text, ...commands]
}

/** Whether a rule has a condition on commands, so that a line which cannot be read may hide a match. */
export const isAboutCommands = (rule: Rule): boolean => commandGlobs(rule).length > 0

const commandGlobs = (rule: Rule): string[] =>
  rule.conditions.filter(({ key }) => isCommandKey(key)).map(({ glob }) => glob)
const otherConditions = (rule: Rule) => rule.conditions.filter(({ key }) => !isCommandKey(key))

function isExactly(glob: string, text: string): boolean {
  return isLiteral(glob.replace(/\[[*?[]\]/g, '')) && matchesGlob(glob.trim(), text.trim())
}

import { basename, dirname, join } from 'node:path'
import type { BuiltinKit, CallEffects } from '../../core/index.ts'
import { programName } from '../../shell/index.ts'
import { absolute } from '../judge.ts'
import { anybodys, changing, personsFlag, speaksOfUs } from './speech.ts'

/**
 * A call that runs our command line to loosen something: by its name, as a copy under any other, or inside what another
 * program is to type or run.
 */
export async function loosensThrough(
  { runs }: CallEffects,
  command: string,
  kit: BuiltinKit,
  cwd: string,
): Promise<string | undefined> {
  for (const words of runs) {
    for (const [at, word] of words.entries()) {
      const rest = words.slice(at + 1)
      const isPersons = isProgram(at, words) ? isReserved(rest) : mentionsReserved(rest)
      if (isPersons && (await isOurs(word, at, words, kit, cwd))) return words.join(' ')
    }
    if (!onlyReads.test(programName(words[0] ?? '')) && words.slice(1).some(inWords)) return words.join(' ')
  }
  // What is typed in pieces arrives in one: `tmux send-keys hook; tmux send-keys 'line off'`.
  const typed = runs.flatMap((words) => (typing.test(words.slice(0, 3).join(' ')) ? typedBy(words) : []))
  if (speaksOfUs(typed.join(''))) return command
  // Text that one program prints and another one reads.
  const hands =
    /[|<]|>\(|>\s*&?\d|\bcoproc\b/.test(command) &&
    runs.some(([program]) => !onlyReads.test(programName(program ?? '')))
  return hands && runs.some((words) => words.slice(1).some(inWords)) ? command : undefined
}

const inWords = (word: string): boolean => /[\s,(]/.test(word) && speaksOfUs(word)

/** Whether our program would run here, and not just be named. */
function isProgram(at: number, words: readonly string[]): boolean {
  if (at === 0) return true
  const [first = '', ...others] = words.slice(0, at)
  if (launcher.test(programName(first))) return others.every((word) => word.startsWith('-'))
  return others.some((word) => /^(?:exec|x|dlx|run)$/.test(word)) && /^(?:npm|pnpm|yarn|bun|deno|mise)$/.test(first)
}

const launcher = /^(?:npx|bunx|pnpx|uvx|node|nodejs|bun|tsx|env|nohup|setsid|exec|time|sudo|doas)$/

/** What begins with an option, or with what is known only when it runs, may be anything. */
function isReserved([verb, ...rest]: readonly string[]): boolean {
  if (verb === undefined || /^(?:-h|--help|-v|--version)$/.test(verb)) return false
  if (rest.some((word) => personsFlag.test(word)) || !anybodys.has(verb)) return true
  return /^(?:rules|sessions)$/.test(verb) && rest.some((word) => changing.has(word))
}

const mentionsReserved = (words: readonly string[]): boolean =>
  words.some((word) => personsFlag.test(word) || changing.has(word))

const typing =
  /^(?:\S*\/)?(?:tmux (?:send-keys|send|set-buffer|setb)|screen .*\bstuff|zellij action|kitty @|wezterm cli|xdotool type|ydotool type|wtype)/
const typedBy = (words: readonly string[]): string[] =>
  words
    .slice(2)
    .filter((word, at, all) => !/^-/.test(word) && !/^-[tSp]$/.test(all[at - 1] ?? ''))
    .map((word) => (/^(?:Enter|C-m|Return)$/.test(word) ? '\n' : word === 'Space' ? ' ' : word))

/** Programs that show or keep text, and run none of it. */
const onlyReads =
  /^(?:grep|egrep|fgrep|rg|ag|ack|echo|printf|cat|bat|less|more|head|tail|wc|sort|uniq|cut|tr|jq|yq|git|gh|glab|diff|comm|ls|find|fd|stat|file|man|which|type|command|whereis|test|\[|true|false|cd|pwd|export|:|sed|awk|nl|tee|touch|mkdir|cp|mv|rm|curl|wget|code|vim?|nano|emacs|xdg-open|open|basename|dirname|realpath|date|sleep)$/

const calledOurs = /^hookline(?:@.*)?$/

/** By its name; by the package that it lies in; by what stands in it. */
async function isOurs(
  word: string,
  at: number,
  words: readonly string[],
  kit: BuiltinKit,
  cwd: string,
): Promise<boolean> {
  if (word.startsWith('-') || word === '') return false
  if (calledOurs.test(programName(word)) || /^(?:npm:)?hookline(?:@|$)/.test(word)) return true
  // A file is run as the first word, or by an interpreter in front of it.
  if (at > 0 && !runsFiles.test(programName(words[0] ?? ''))) return false
  if (at === 0 && !word.includes('/')) return false
  const file = await kit.realpath(absolute(word, { cwd, home: kit.home }))
  if ([word, file].some((each) => /^hookline\.[cm]?js$/.test(basename(each)))) return true
  if ((await kit.kind(file)) !== 'file') return false
  if ((await packageAround(file, kit)) === 'hookline') return true
  const text = await kit.read(file, largest)
  return text !== undefined && /hookline/i.test(text) && signature.test(text)
}

const runsFiles = /^(?:node|nodejs|bun|deno|tsx|npx|sh|bash|dash|zsh|env|nohup|setsid|script|unbuffer)$/
const largest = 16 * 1024 * 1024
/** Stands in every build of ours, minified or not, and in what starts it. */
const signature = /HOOKLINE_APPROVE_TOKEN|hookline <command>|dist\/cli\.js/

async function packageAround(file: string, kit: BuiltinKit): Promise<string | undefined> {
  for (let at = dirname(file), left = 6; left > 0 && at !== dirname(at); at = dirname(at), left--) {
    const text = await kit.read(join(at, 'package.json'), 256 * 1024)
    const name = text === undefined ? undefined : /"name"\s*:\s*"([^"]+)"/.exec(text)?.[1]
    if (name !== undefined) return name
  }
  return undefined
}

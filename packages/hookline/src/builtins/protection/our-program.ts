import { basename, dirname, join } from 'node:path'
import type { BuiltinKit, CallEffects } from '../../core/index.ts'
import { programName } from '../../shell/index.ts'
import { absolute } from '../judge.ts'

/** What only a person may do with our command line. To block and to ask for more, nobody need be asked. */
const verbs = new Set(
  'off approve allow revoke remove add init disable uninstall reset trust untrust unprotect mute purge stop kill'.split(
    ' ',
  ),
)
const isReserved = (words: readonly string[]): boolean =>
  words.some((word) => verbs.has(word)) || words.includes('--accept') || words.includes('--fix')

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
      if (isReserved(rest) && (await isOurs(word, at, words, kit, cwd))) return words.join(' ')
    }
    if (!onlyReads.test(programName(words[0] ?? '')) && words.slice(1).some(speaksOfUs)) return words.join(' ')
    if (await scriptSpeaksOfUs(words, kit, cwd)) return words.join(' ')
  }
  // Text that one program prints and another one reads.
  const hands =
    /[|<]|>\(|>\s*&?\d|\bcoproc\b/.test(command) &&
    runs.some(([program]) => !onlyReads.test(programName(program ?? '')))
  return hands && runs.some((words) => words.slice(1).some(speaksOfUs)) ? command : undefined
}

/** Programs that show or keep text, and run none of it. */
const onlyReads =
  /^(?:grep|egrep|fgrep|rg|ag|ack|echo|printf|cat|bat|less|more|head|tail|wc|sort|uniq|cut|tr|jq|yq|git|gh|glab|diff|comm|ls|find|fd|stat|file|man|which|type|command|whereis|test|\[|true|false|cd|pwd|export|:|sed|awk|nl|tee|touch|mkdir|cp|mv|rm|curl|wget|code|vim?|nano|emacs|xdg-open|open|basename|dirname|realpath|date|sleep)$/

const speech = new RegExp(
  `\\bhookline(?:@[\\w.^~-]+)?(?:\\.[cm]?js)?\\b["'\\]\\s,]+(?:[^\\n;|&]{0,200}?[\\s"',\\[])??(?:${[...verbs].join('|')}|--accept|--fix)\\b|(?:hookline|dist)/(?:[\\w.-]+/)*cli\\.[cm]?js\\b["'\\]\\s,]+(?:[^\\n;|&]{0,200}?[\\s"',\\[])??(?:${[...verbs].join('|')}|--accept)\\b`,
)
const speaksOfUs = (word: string): boolean => /\s|,/.test(word) && speech.test(word)

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

/** A program of the agent's own that would run or type it. */
async function scriptSpeaksOfUs(words: readonly string[], kit: BuiltinKit, cwd: string): Promise<boolean> {
  if (!interpreter.test(programName(words[0] ?? ''))) return false
  const script = words.slice(1).find((word) => !word.startsWith('-'))
  if (script === undefined || /\s/.test(script)) return false
  const text = await kit.read(await kit.realpath(absolute(script, { cwd, home: kit.home })), 256 * 1024)
  return text !== undefined && speech.test(text)
}

const interpreter =
  /^(?:python[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|bun|deno|tsx|expect|tclsh[\d.]*|php[\d.]*|lua[\d.]*)$/

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

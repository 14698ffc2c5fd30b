import type { BuiltinKit, CallEffects } from '../../core/index.ts'
import { programName } from '../../shell/index.ts'
import { absolute } from '../judge.ts'
import { namesOurPlaces, speaksOfUs } from './speech.ts'

export interface ScriptFindings {
  /** It would do what only a person may. */
  loosens?: string
  /** It names the places of what watches over the agent: nobody knows what it does there. */
  names?: string
}

/** The files that the patches of a line change, as they are named in them. */
export async function patchedBy(
  { runs }: CallEffects,
  command: string,
  kit: BuiltinKit,
  cwd: string,
): Promise<string[]> {
  const patches = runs.filter(
    ([program = '', verb]) =>
      /^g?patch$/.test(programName(program)) || (programName(program) === 'git' && /^(?:apply|am)$/.test(verb ?? '')),
  )
  if (patches.length === 0) return []
  const files = patches.flatMap((words) => words.slice(1).filter((word) => !word.startsWith('-')))
  // A patch that git prints is about the files that git is given.
  const printed = runs.flatMap((words) => (printsPatch.test(words.slice(0, 2).join(' ')) ? words.slice(2) : []))
  const texts = await Promise.all(
    [...files, ...inputsOf(command)]
      .slice(0, 20)
      .map(async (file) => kit.read(await kit.realpath(absolute(file, { cwd, home: kit.home })), 1024 * 1024)),
  )
  const named = texts.flatMap((text) =>
    [...(text ?? '').matchAll(/^(?:---|\+\+\+|rename to|rename from) (?:[ab]\/)?([^\t\n]+)/gm)].map(([, path]) =>
      path!.trim(),
    ),
  )
  return [...named, ...printed.filter((word) => !word.startsWith('-'))]
}

const printsPatch = /^(?:\S*\/)?git (?:diff|show|log|format-patch|diff-tree|diff-index|diff-files)$/

/** What the programs of the agent's own say that a command runs: scripts, also by their first line or from standard input. */
export async function scriptsOf(
  { runs }: CallEffects,
  command: string,
  kit: BuiltinKit,
  cwd: string,
): Promise<ScriptFindings> {
  const found: ScriptFindings = {}
  for (const file of new Set([...runs.flatMap(scriptIn), ...inputsOf(command)])) {
    const text = await kit.read(await kit.realpath(absolute(file, { cwd, home: kit.home })), largest)
    if (text === undefined || text.includes('\0')) continue
    if (speaksOfUs(text)) found.loosens ??= file
    else if (namesOurPlaces(text)) found.names ??= file
  }
  return found
}

const largest = 256 * 1024
const interpreter =
  /^(?:python[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|bun|deno|tsx|expect|tclsh[\d.]*|php[\d.]*|lua[\d.]*|sh|bash|dash|zsh|ksh|fish)$/

/** The program itself, where it is a file; else the first word that an interpreter is given. */
function scriptIn(words: readonly string[]): string[] {
  const [program = '', ...rest] = words
  if (!interpreter.test(programName(program))) return program.includes('/') ? [program] : []
  const script = rest.find((word) => !word.startsWith('-') && !/^(?:run|test)$/.test(word))
  return script === undefined || /\s/.test(script) ? [] : [script]
}

/** Files behind `<` of a line. */
const inputsOf = (command: string): string[] =>
  [...command.matchAll(/(?<!<)<\s*(?![<(&])["']?([^\s"'<>|&;()]+)/g)].map(([, file]) => file!).slice(0, 20)

import { existsSync, statSync } from 'node:fs'
import { type Invocation, readAll, text, UsageError } from 'hookline/internal'
import { isSessionId } from '../sessions/index.ts'

/** What the words and options of `hookline run` ask for. */
export interface RunRequest {
  /** The agent file. */
  file: string | undefined
  prompt: string | undefined
  /** `talk`: a conversation on a terminal. `show`: one prompt, shown as it happens. */
  mode: 'talk' | 'show' | 'print' | 'json'
  /** A session to go on with; the empty text: the latest of this directory. */
  resume: string | undefined
  maxIterations: number | undefined
  /** The model for every agent. */
  model: string | undefined
  /** What the rehearsal model plays. */
  script: string | undefined
}

export async function readRequest({ values, positionals, input, output }: Invocation): Promise<RunRequest> {
  if (values['print'] && values['json']) throw new UsageError('`--print` and `--json` cannot be had together.')
  const words = [...positionals]
  let resume = text(values['resume'])
  if (resume === '' && words[0] !== undefined && isOwnId(words[0])) resume = words.shift()
  const file = words[0] !== undefined && isAgentFile(words[0]) ? words.shift() : undefined
  if (file !== undefined && !existsSync(file)) throw new UsageError(`There is no agent file ${file}.`)
  const mode = values['json'] ? 'json' : values['print'] ? 'print' : input.isTTY && output.isTTY ? 'talk' : 'show'
  const prompt = await readPrompt(words, mode, input)
  if (prompt === undefined && mode !== 'talk')
    throw new UsageError('There is no prompt. Give it as words, or on standard input.')
  const maxIterations = readCount(text(values['max-iterations']))
  const [model, script] = [text(values['model']), text(values['rehearse'])]
  if (model !== undefined && script !== undefined)
    throw new UsageError('`--model` and `--rehearse` cannot be had together.')
  return { file, prompt, mode, resume, maxIterations, model, script }
}

/** Reads standard input for the word `-`, or when there are no words. */
async function readPrompt(
  words: readonly string[],
  mode: RunRequest['mode'],
  input: NodeJS.ReadStream,
): Promise<string | undefined> {
  const piped = words.includes('-') || (words.length === 0 && mode !== 'talk' && !input.isTTY)
  const given = piped ? (await readAll(input)).trim() : ''
  const prompt = words.length === 0 ? given : words.map((word) => (word === '-' ? given : word)).join(' ')
  return prompt.trim() === '' ? undefined : prompt
}

/** A word that ends like a file of agents, or that is one. */
function isAgentFile(word: string): boolean {
  return /\.(ya?ml|jsonc?)$/.test(word) || (statSync(word, { throwIfNoEntry: false })?.isFile() ?? false)
}

/** Looks like what `hookline run` calls a session, so that `--resume <id>` is understood as well as `--resume=<id>`. */
const isOwnId = (word: string): boolean => isSessionId(word) && /^(\d{8}-\d{6}-)?[0-9a-f]{6}$/.test(word)

function readCount(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,6}$/.test(value)) throw new UsageError('`--max-iterations` takes a number above 0.')
  return Number(value)
}

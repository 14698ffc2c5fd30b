import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  type ConfigFile,
  dataDirectory,
  type Invocation,
  readAll,
  showsUnicode,
  text,
  texts,
  UsageError,
} from 'hookline/internal'
import type { Attachment, Durable, SessionRecord, ToolsetSpec } from '../core/index.ts'
import { isSessionId } from '../sessions/index.ts'
import { fetchAgentFile, parseReference } from '../team/index.ts'

/** What the words and options of `hookline run` ask for. */
export interface RunRequest {
  /** The agent file. */
  file: string | undefined
  prompt: string | undefined
  /** What goes with the prompt. */
  attachments: readonly Attachment[]
  /**
   * `talk`: a conversation on a terminal. `line`: the same, line by line, for screen readers and simple terminals.
   * `show`: one prompt, shown as it happens.
   */
  mode: 'talk' | 'line' | 'show' | 'print' | 'json'
  /** A session to go on with; the empty text: the latest of this directory. */
  resume: string | undefined
  maxIterations: number | undefined
  /** The model for every agent. */
  model: string | undefined
  /** What the rehearsal model plays. */
  script: string | undefined
  /** Tools that the agents have besides their own, from whoever runs it. */
  toolsets?: readonly ToolsetSpec[]
  /** Config beside what is found here, from whoever runs it. */
  configs?: readonly ConfigFile[]
  /** One more channel by which messages may leave. */
  outbound?: { name: string; send(text: string): Promise<void> }
  /** Where the session is kept, when not among those of this user. */
  durable?: KeptElsewhere
}

/** A session that somebody else keeps, and hands from one process to the next. */
export interface KeptElsewhere {
  id: string
  /** What is kept of it; none: it begins. */
  records: readonly SessionRecord[]
  /** It was begun before, and so many turns of it are over. */
  continues?: { turns: number }
  open(id: string): Promise<Durable>
}

/** `prompts`: whether one is given now, or an editor sends them later. */
export async function readRequest(
  { values, positionals, input, output }: Invocation,
  prompts: 'now' | 'later' = 'now',
): Promise<RunRequest> {
  if (values['print'] && values['json']) throw new UsageError('`--print` and `--json` cannot be had together.')
  const words = [...positionals]
  let resume = text(values['resume'])
  if (resume === '' && words[0] !== undefined && isOwnId(words[0])) resume = words.shift()
  const file = await fileOf(words)
  if (file !== undefined && !existsSync(file)) throw new UsageError(`There is no agent file ${file}.`)
  const attachments = texts(values['attach']).map(readAttachment)
  if (prompts === 'later' && words.length > 0) throw new UsageError('With `--acp`, prompts come from the editor.')
  const mode = values['json'] ? 'json' : values['print'] ? 'print' : modeAt(input, output, values['plain'] === true)
  const prompt = prompts === 'later' ? undefined : await readPrompt(words, input)
  if (prompt === undefined && prompts === 'now' && mode !== 'talk' && mode !== 'line')
    throw new UsageError('There is no prompt. Give it as words, or on standard input.')
  const maxIterations = readCount(text(values['max-iterations']))
  const [model, script] = [text(values['model']), text(values['rehearse'])]
  if (model !== undefined && script !== undefined)
    throw new UsageError('`--model` and `--rehearse` cannot be had together.')
  return { file, prompt, attachments, mode, resume, maxIterations, model, script }
}

function modeAt(input: NodeJS.ReadStream, output: NodeJS.WriteStream, plain: boolean): RunRequest['mode'] {
  if (!input.isTTY || !output.isTTY) return 'show'
  return plain || process.env['TERM'] === 'dumb' || !showsUnicode() ? 'line' : 'talk'
}

/** Reads standard input for the word `-`, or when there are no words. */
async function readPrompt(words: readonly string[], input: NodeJS.ReadStream): Promise<string | undefined> {
  const piped = words.includes('-') || (words.length === 0 && !input.isTTY)
  const given = piped ? (await readAll(input)).trim() : ''
  const prompt = words.length === 0 ? given : words.map((word) => (word === '-' ? given : word)).join(' ')
  return prompt.trim() === '' ? undefined : prompt
}

/**
 * The agent file that the first word names: in a directory, or in a registry. `src/parser is slow` is a prompt that begins with a
 * directory of the workspace; what is none, and looks like a reference, is one, however long the prompt behind it is.
 */
async function fileOf(words: string[]): Promise<string | undefined> {
  const [first] = words
  if (first === undefined) return undefined
  if (isAgentFile(first)) return words.shift()
  const reference = existsSync(first) ? undefined : parseReference(first)
  if (!reference) return undefined
  words.shift()
  return fetchAgentFile(first, reference, join(dataDirectory(), 'agents'))
}

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
}

function readAttachment(file: string): Attachment {
  const media_type = mediaTypes[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''] ?? 'text/plain'
  if (!existsSync(file)) throw new UsageError(`There is no file ${file} to attach.`)
  return { name: basename(file), media_type, data: readFileSync(file).toString('base64') }
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

import { injectingVariable, isPlainWord, isRecord, quoteWord, quoteWords } from 'hookline/internal'

/** A program that an agent wants in a terminal of the editor: `terminal/create`. */
export interface Wanted {
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd?: string
}

/** Undefined: it is not as the protocol has it. */
export function wantedIn(params: Record<string, unknown> = {}): Wanted | undefined {
  const { command, args, env, cwd } = params
  const words = args ?? []
  const variables = env ?? []
  if (typeof command !== 'string' || !Array.isArray(words) || !words.every((word) => typeof word === 'string')) return
  if (!Array.isArray(variables) || !variables.every(isVariable)) return
  if (cwd !== undefined && cwd !== null && typeof cwd !== 'string') return
  const named = Object.fromEntries(variables.map(({ name, value }) => [name, value]))
  return { command, args: words, env: named, ...(typeof cwd === 'string' && { cwd }) }
}

/**
 * The command lines that hooks judge. The protocol does not say whether a shell reads them, and editors differ: some start the
 * program with its words, some join the words into a line for a shell. Where that is not the same, both readings are judged;
 * the first is the one that is meant. Variables that make a program load code stand in front.
 */
export function linesOf({ command, args, env }: Wanted): readonly [string, ...string[]] {
  const loading = Object.entries(env).filter(([name]) => injectingVariable(name) !== undefined)
  const before = loading.map(([name, value]) => `${name}=${quoteWord(value)} `).join('')
  const joined = [command, ...args].join(' ')
  const isOneReading = args.length === 0 || [command, ...args].every(isPlainWord)
  return isOneReading ? [before + joined] : [before + quoteWords([command, ...args]), before + joined]
}

/** What hooks see as the input of `shell`. */
export const inputOf = ({ env, cwd }: Wanted, command: string): Record<string, unknown> => ({
  command,
  ...(cwd !== undefined && { cwd }),
  ...(Object.keys(env).length > 0 && { env }),
})

/** Params for the command line that hooks made of it. A line of several words was for a shell already, if it came as one. */
export function paramsWith(params: Record<string, unknown>, { args }: Wanted, input: Record<string, unknown>) {
  const line = String(input['command'])
  const isLine = args.length === 0 && String(params['command']).includes(' ')
  return {
    ...params,
    ...(isLine ? { command: line } : { command: 'sh', args: ['-c', line] }),
    ...(typeof input['cwd'] === 'string' && { cwd: input['cwd'] }),
  }
}

const isVariable = (value: unknown): value is { name: string; value: string } =>
  isRecord(value) && typeof value['name'] === 'string' && typeof value['value'] === 'string'

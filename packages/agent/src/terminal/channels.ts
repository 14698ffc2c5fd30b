import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { HooklineError, isRecord, parseConfig, readText, UsageError, userDirectory } from 'hookline/internal'
import { createSender, type OutboundConfig, type Sender } from '../outbound/index.ts'

/**
 * By which channels messages may leave: the console, and those that the person has named. An agent file cannot name any:
 * a project must not decide where what it sees is sent.
 */
export async function openChannels(named: string | undefined, write: (line: string) => void): Promise<Sender> {
  const usual = join(userDirectory(), 'channels.yaml')
  const file = named ?? (existsSync(usual) ? usual : undefined)
  const own = file === undefined ? {} : await readChannels(file)
  try {
    return createSender({ console: { type: 'console' }, ...own }, { write })
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`)
  }
}

async function readChannels(file: string): Promise<OutboundConfig> {
  const read = await readText(file)
  if (!read.ok) throw new HooklineError(read.problem)
  const parsed = await parseConfig(read.text, file)
  if (!parsed.ok) throw new HooklineError(parsed.problem)
  if (!isRecord(parsed.document)) throw new UsageError(`${file} must be a mapping of channels, each with a \`type\`.`)
  return parsed.document as OutboundConfig
}

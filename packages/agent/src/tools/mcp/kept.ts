import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { isRecord, makeDirectory } from 'hookline/internal'

/** What is remembered of an account: the client that was registered, with its port, and the tokens. */
export interface Kept {
  url?: string
  port?: number
  client?: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
  tokens?: Awaited<ReturnType<OAuthClientProvider['tokens']>>
}

/** What is missing or damaged counts as nothing: the person signs in again. */
export function readKept(file: string): Kept {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isRecord(kept) ? kept : {}
  } catch {
    return {}
  }
}

/** For the user alone, and all or nothing. */
export function writeKept(file: string, kept: Kept): void {
  makeDirectory(dirname(file))
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, `${JSON.stringify(kept)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

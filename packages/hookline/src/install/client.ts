import { spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { entryProgram } from '../hosts/index.ts'
import { makeDirectory, packageFile } from '../platform/index.ts'
import { readText, writeText } from './files.ts'

/** What the thin client finds beside itself; see packages/client/src/table.c. */
export interface ClientTable {
  engine: string
  node: string
  program: string
  socket: string
}

/** What the client says of itself, so that none is installed that does not run here. */
const protocol = 'hookline-client 1'

/** The client for this machine, as it was built: undefined where there is none, or it is not what was committed. */
export function clientHere(platform = process.platform, arch = process.arch): Buffer | undefined {
  const name = `${platform}-${arch}/${entryProgram}`
  try {
    const bytes = readFileSync(packageFile('client', name))
    const sums = readFileSync(packageFile('client', 'SHA256SUMS'), 'utf8')
    return sums.includes(`${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`) ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Puts the client where hosts run it, with its table. False: it does not run here, and nothing has changed. */
export function installClient(entry: string, client: Buffer, table: ClientTable): boolean {
  const text = tableText(table)
  if (text === undefined) return false
  makeDirectory(dirname(entry), 0o755)
  const draft = join(dirname(entry), `.${randomUUID()}`)
  try {
    const isThere = isSame(entry, client)
    if (!isThere) {
      writeFileSync(draft, client, { flag: 'wx', mode: 0o755 })
      chmodSync(draft, 0o755)
      if (!runs(draft)) return false
    }
    // The table first: a client without one refuses everything.
    if (readTextOrNone(tablePath(entry)) !== text) writeText(tablePath(entry), text, 0o644)
    if (!isThere) renameSync(draft, entry)
    chmodSync(entry, 0o755)
    return true
  } finally {
    rmSync(draft, { force: true })
  }
}

export const tablePath = (entry: string): string => `${entry}.table`

/** The engine that hosts call now; undefined where there is no client. */
export function installedEngine(entry: string): string | undefined {
  return /^engine (.*)$/m.exec(readTextOrNone(tablePath(entry)) ?? '')?.[1]
}

/** Until the function it gives back is called, the client starts and uses no daemon: every call is a process of its own. */
export function withoutDaemon(entry: string): () => void {
  const text = readTextOrNone(tablePath(entry))
  if (text === undefined) return () => {}
  writeText(tablePath(entry), text.replace(/^socket .*$/m, 'socket '))
  return () => void writeText(tablePath(entry), text)
}

/** What starts the daemon that the client would start; undefined where there is no client. */
export function installedDaemon(entry: string): readonly [file: string, ...args: string[]] | undefined {
  const table = readTextOrNone(tablePath(entry)) ?? ''
  const [node, program] = ['node', 'program'].map((name) => new RegExp(`^${name} (.*)$`, 'm').exec(table)?.[1])
  return node === undefined || program === undefined ? undefined : [node, program, 'daemon']
}

/** Undefined where a path cannot stand on one line. */
function tableText({ engine, node, program, socket }: ClientTable): string | undefined {
  const lines = [protocol, `engine ${engine}`, `node ${node}`, `program ${program}`, `socket ${socket}`]
  if (lines.some((line) => /[\n\0]/.test(line))) return undefined
  return `${lines.join('\n')}\n${readFileSync(packageFile('client', 'hosts.table'), 'utf8')}`
}

function runs(program: string): boolean {
  const { status, stdout } = spawnSync(program, ['--protocol'], { encoding: 'utf8', timeout: 10_000 })
  return status === 0 && stdout === `${protocol}\n`
}

function isSame(path: string, bytes: Buffer): boolean {
  try {
    return readFileSync(path).equals(bytes)
  } catch {
    return false
  }
}

export function readTextOrNone(path: string): string | undefined {
  try {
    return readText(path)
  } catch {
    return undefined
  }
}

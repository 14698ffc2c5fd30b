import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { appendFile, lstat, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BuiltinKit } from '../../core/index.ts'
import { makeDirectory, realPath } from '../../platform/index.ts'

type Files = Pick<BuiltinKit, 'read' | 'list' | 'kind' | 'size' | 'realpath' | 'write' | 'append' | 'remove'> &
  Required<Pick<BuiltinKit, 'knownSecrets' | 'identity'>>

const defaultLimit = 1024 * 1024

export const files: Files = {
  async read(path, limit = defaultLimit) {
    // Whatever a project names: a pipe that nobody writes to must not keep us waiting.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
    if (!file) return undefined
    try {
      if (!(await file.stat()).isFile()) return undefined
      const { buffer, bytesRead } = await file.read(Buffer.alloc(limit), 0, limit, 0)
      return new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: true })
    } finally {
      await file.close()
    }
  },

  async list(path) {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined)
    return entries?.map((entry) => ({ name: entry.name, directory: entry.isDirectory() }))
  },

  async kind(path) {
    const found = await stat(path).catch(() => undefined)
    if (!found) return undefined
    if (found.isFile()) return 'file'
    return found.isDirectory() ? 'directory' : 'other'
  },

  size: async (path) => (await lstat(path).catch(() => undefined))?.size,

  async identity(path) {
    const found = await stat(path).catch(() => undefined)
    return found?.isFile() && found.nlink > 1 ? `${found.dev}:${found.ino}` : undefined
  },

  realpath: async (path) => realPath(path),

  knownSecrets: (directory) =>
    knownSecretsAround ? knownSecretsAround(directory) : loadKnownSecrets().then((around) => around(directory)),

  async write(path, text) {
    makeDirectory(dirname(path))
    const aside = `${path}.${randomUUID()}`
    await appendFile(aside, text, { mode: 0o600, flag: 'ax' })
    await rename(aside, path)
  },

  async append(path, text) {
    makeDirectory(dirname(path))
    await appendFile(path, text, { mode: 0o600 })
  },

  remove: (path) => rm(path, { recursive: true, force: true }),
}

/** Loaded by the first result: after that, the hooks that look at results answer at once. */
let knownSecretsAround: typeof import('./known-secrets.ts').knownSecretsAround | undefined

async function loadKnownSecrets() {
  const loaded = await import('./known-secrets.ts')
  knownSecretsAround = loaded.knownSecretsAround
  return knownSecretsAround
}

import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HooklineError } from '../core/index.ts'
import { openMachine } from './client.ts'
import { readEnrolment } from './enrolment.ts'
import { fleetFiles } from './place.ts'

/** Where a machine fetches its policy from. Whatever it says is verified: it need not be trusted, only reached. */
export interface PolicySource {
  base: string
  /** A file of the repository, by its path there. Throws where it cannot be reached. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** Its server, unless it enrolled with another place: any web server or bucket, or a directory (`file:`), such as a git checkout. */
export function sourceOf(directory: string): PolicySource {
  const { server, policy } = readEnrolment(directory)
  const base = policy ?? `${server}/policy`
  if (base.startsWith('file:')) return { base, fetch: (path) => fromDisk(`${base}/${path}`) }
  if (!base.startsWith(`${server}/`)) return { base, fetch: (path, init) => fromWeb(`${base}/${path}`, init) }
  let machine: ReturnType<typeof openMachine> | undefined
  return {
    base,
    fetch(path, init) {
      machine ??= openMachine(directory)
      return machine.fetch(`${base.slice(server.length)}/${path}`, init)
    },
  }
}

/** Why a source could not be reached: nothing is wrong with the policy then. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

export const reachError = (error: unknown): Unreachable =>
  error instanceof Unreachable
    ? error
    : new Unreachable(error instanceof HooklineError ? error.notes[0]!.message : (error as Error).message)

async function fromWeb(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(30_000), ...init })
  } catch (error) {
    // All that `fetch` says of itself is that it failed.
    const { cause, message } = error as Error & { cause?: { code?: string; message?: string } }
    throw new Unreachable(`${new URL(url).origin} cannot be reached: ${cause?.code ?? cause?.message ?? message}.`)
  }
}

async function fromDisk(url: string): Promise<Response> {
  try {
    return new Response(await readFile(fileURLToPath(url)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Response(null, { status: 404 })
    throw error
  }
}

/** Whether this user can write what is fetched, and prove to be this machine. */
export function mayFetch(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK)
    accessSync(join(directory, fleetFiles.key), constants.R_OK)
    return true
  } catch {
    return false
  }
}

import { homedir, hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import type { BuiltinKit, Call, KitRequest, Layer, Machine } from '../../core/index.ts'
import { hookEnvironment, hostDirectory, workingDirectory } from '../environment.ts'
import { admit, systemResolve } from '../http/admit.ts'
import type { Connections } from '../http/exchange.ts'
import { exec } from './exec.ts'
import { files } from './files.ts'
import { exclusive } from './lock.ts'
import type { State } from './state.ts'

/** What all calls of one set of hooks share. */
export interface Shop {
  dataDir: string
  state: State
  connections: Connections
  /** Aborted when the hooks are closed. */
  closing: AbortSignal
  /** Replaces what a kit offers, for embedders and examples. */
  override?: Partial<BuiltinKit>
}

export function defaultDataDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return env['HOOKLINE_DATA_DIR'] || join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'hookline')
}

export function makeKit(builtin: string, call: Call, shop: Shop): BuiltinKit {
  const cwd = workingDirectory(call) ?? hostDirectory()
  const shelf = `${builtin}\0${String(call.event.payload['session_id'] ?? '')}`
  // Most builtins need neither, and both cost more than a whole answer of theirs.
  const env = once(() => hookEnvironment(call))
  const signal = once(() => AbortSignal.any([call.signal, shop.closing]))
  const kit: BuiltinKit = {
    ...files,
    exclusive,
    get signal() {
      return signal()
    },
    cwd,
    home: homedir(),
    dataDir: shop.dataDir,
    get env() {
      return env()
    },
    get machine() {
      return machine()
    },
    ownLayer: ownLayers.has(call.hook.origin.layer),
    protectedFiles: call.hook.origin.where ? [call.hook.origin.where.file] : [],
    now: () => new Date(),
    exec: (program, args, options = {}) =>
      exec(program, args, { cwd, ...options, env: { ...kit.env, ...options.env } }, signal()),
    request: (request) => send(request, signal(), shop.connections),
    recall: (key) => shop.state.recall(shelf, key) as never,
    update: (key, change) => shop.state.update(shelf, key, change as never) as never,
  }
  return shop.override ? Object.defineProperties(kit, Object.getOwnPropertyDescriptors(shop.override)) : kit
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const ownLayers = new Set<Layer>(['managed', 'user', 'session', 'code'])

const answerLimit = 64 * 1024

async function send(
  request: KitRequest,
  signal: AbortSignal,
  connections: Connections,
): Promise<{ status: number; body: string }> {
  const url = new URL(request.url)
  const allowLocal = request.allowLocal === true
  const addresses = await admit(url, { resolve: systemResolve, allowLocal, signal })
  const body = request.body
  const headers = {
    'user-agent': 'hookline',
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...request.headers,
  }
  const method = request.method ?? (body === undefined ? 'GET' : 'POST')
  const sent = { url, addresses, method, headers, limit: answerLimit, signal, ...(body === undefined ? {} : { body }) }
  const answer = await connections.exchange(sent, allowLocal)
  return { status: answer.status, body: answer.body.toString('utf8') }
}

function machine(): Machine {
  const user = whoAmI()
  return {
    hostname: hostname(),
    platform: process.platform,
    architecture: process.arch,
    ...(user === undefined ? {} : { user }),
  }
}

/** There is none in some containers. */
function whoAmI(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

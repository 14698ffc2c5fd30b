import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import type { BuiltinKit, Call, ExecOptions, Executed, KitRequest, Layer, Machine } from '../../core/index.ts'
import { admit, type Connections, systemResolve } from '../../platform/http/index.ts'
import { homeDirectory, stateDirectory, userDirectory } from '../../platform/index.ts'
import { hookEnvironment, hostDirectory, workingDirectory } from '../environment.ts'
import type { OpenCalls } from '../open-calls.ts'
import { exec } from './exec.ts'
import { files } from './files.ts'
import { exclusive } from './lock.ts'
import type { State } from './state.ts'

/** What all calls of one set of hooks share. */
export interface Shop {
  dataDir: string
  state: State
  connections: Connections
  calls: OpenCalls
  /** Replaces what a kit offers, for embedders and examples. */
  override?: Partial<BuiltinKit>
}

export function defaultDataDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return env['HOOKLINE_DATA_DIR'] || join(env['XDG_DATA_HOME'] || join(homeDirectory(), '.local', 'share'), 'hookline')
}

/** A kit for one call; `end` when the builtin has answered. */
export function makeKit(builtin: string, call: Call, shop: Shop): BuiltinKit & { end(): void } {
  const kit = new Kit(builtin, call, shop)
  return shop.override ? Object.defineProperties(kit, Object.getOwnPropertyDescriptors(shop.override)) : kit
}

/** A class, because one is made per call: what a builtin does not ask for is not made, and an instance costs next to nothing. */
class Kit implements BuiltinKit {
  readonly #call: Call
  readonly #shop: Shop
  readonly #builtin: string
  #link: ReturnType<OpenCalls['link']> | undefined
  #env: Record<string, string> | undefined

  constructor(builtin: string, call: Call, shop: Shop) {
    this.#call = call
    this.#shop = shop
    this.#builtin = builtin
  }

  get #shelf(): string {
    return `${this.#builtin}\0${String(this.#call.event.payload['session_id'] ?? '')}`
  }

  get signal(): AbortSignal {
    this.#link ??= this.#shop.calls.link(this.#call.signal)
    return this.#link.signal
  }
  /** The builtin has answered. */
  end(): void {
    this.#link?.end()
  }
  get cwd(): string {
    return workingDirectory(this.#call) ?? hostDirectory()
  }
  get home(): string {
    return homeDirectory()
  }
  get dataDir(): string {
    return this.#shop.dataDir
  }
  get env(): Readonly<Record<string, string>> {
    this.#env ??= hookEnvironment(this.#call)
    return this.#env
  }
  get machine(): Machine {
    return machine()
  }
  get ownLayer(): boolean {
    return ownLayers.has(this.#call.hook.origin.layer)
  }
  get protectedFiles(): readonly string[] {
    const { where } = this.#call.hook.origin
    return [...(where ? [where.file] : []), stateDirectory(), userDirectory()]
  }
  now(): Date {
    return new Date()
  }

  exec(program: string, args: readonly string[], options: ExecOptions = {}): Promise<Executed | undefined> {
    return exec(program, args, { cwd: this.cwd, ...options, env: { ...this.env, ...options.env } }, this.signal)
  }
  request(request: KitRequest): Promise<{ status: number; body: string }> {
    return send(request, this.signal, this.#shop.connections)
  }
  recall<T>(key: string): Promise<T | undefined> {
    return this.#shop.state.recall(this.#shelf, key) as Promise<T | undefined>
  }
  update<T>(key: string, change: (current: T | undefined) => T): Promise<T> {
    return this.#shop.state.update(this.#shelf, key, change as (current: unknown) => unknown) as Promise<T>
  }

  declare read: BuiltinKit['read']
  declare list: BuiltinKit['list']
  declare kind: BuiltinKit['kind']
  declare size: BuiltinKit['size']
  declare realpath: BuiltinKit['realpath']
  declare write: BuiltinKit['write']
  declare append: BuiltinKit['append']
  declare remove: BuiltinKit['remove']
  declare exclusive: BuiltinKit['exclusive']
}
Object.assign(Kit.prototype, files, { exclusive })

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

import { spawn } from 'node:child_process'
import { hostname, userInfo } from 'node:os'
import {
  type BuiltinKit,
  type Call,
  type ExecOptions,
  type Executed,
  type KitRequest,
  type Layer,
  type Machine,
  type StateStore,
  statePlace,
} from '../../core/index.ts'
import { admit, type Connections, systemResolve } from '../../platform/http/index.ts'
import { homeDirectory, stateDirectory, userDirectory } from '../../platform/index.ts'
import type { OpenCalls } from '../calls.ts'
import { hookEnvironment, hostDirectory, workingDirectory } from '../environment.ts'
import { files } from './files.ts'
import { exclusive } from './lock.ts'

/** What all calls of one set of hooks share. */
export interface KitServices {
  dataDir: string
  state: StateStore
  connections: Connections
  calls: OpenCalls
  /** Replaces what a kit offers, for embedders and examples. */
  override?: Partial<BuiltinKit>
}

/** A kit for one call; `end` when the builtin has answered. */
export function makeKit(builtin: string, call: Call, services: KitServices): BuiltinKit & { end(): void } {
  const kit = new Kit(builtin, call, services)
  return services.override ? Object.defineProperties(kit, Object.getOwnPropertyDescriptors(services.override)) : kit
}

/** A class, because one is made per call: what a builtin does not ask for is not made, and an instance costs next to nothing. */
class Kit implements BuiltinKit {
  readonly #call: Call
  readonly #services: KitServices
  readonly #builtin: string
  #link: ReturnType<OpenCalls['link']> | undefined
  #env: Record<string, string> | undefined

  constructor(builtin: string, call: Call, services: KitServices) {
    this.#call = call
    this.#services = services
    this.#builtin = builtin
  }

  get signal(): AbortSignal {
    this.#link ??= this.#services.calls.link(this.#call.signal)
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
    return this.#services.dataDir
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
    return send(request, this.signal, this.#services.connections)
  }
  async recall<T>(key: string): Promise<T | undefined> {
    return this.#services.state.read(statePlace(this.#call.event, this.#builtin, key)) as T | undefined
  }
  async update<T>(key: string, change: (current: T | undefined) => T): Promise<T> {
    const place = statePlace(this.#call.event, this.#builtin, key)
    return this.#services.state.update(place, change as (current: unknown) => unknown) as T
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

const execLimit = 1024 * 1024

/** Runs a program without a shell, in a process group of its own that ends with the signal or with too much output. */
export function exec(
  program: string,
  args: readonly string[],
  options: ExecOptions & { env: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Executed | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: options.cwd, env: options.env, detached: true, stdio: 'pipe' })
    let truncated = false
    const kill = (): void => {
      if (child.pid !== undefined) killGroup(child.pid)
    }
    const collect = (stream: NodeJS.ReadableStream): Buffer[] => {
      const chunks: Buffer[] = []
      let left = options.outputLimit ?? execLimit
      stream.on('data', (chunk: Buffer) => {
        if (left > 0) chunks.push(chunk.subarray(0, left))
        left -= chunk.length
        if (left >= 0 || truncated) return
        truncated = true
        kill()
      })
      return chunks
    }
    const stdout = collect(child.stdout)
    const stderr = collect(child.stderr)
    const settle = (executed: Executed | undefined): void => {
      signal.removeEventListener('abort', kill)
      resolve(executed)
    }
    signal.addEventListener('abort', kill)
    child.on('error', () => settle(undefined))
    // Whatever the program left behind must not keep its output open, nor live on.
    child.on('exit', kill)
    child.on('close', (code) => settle({ exit: code ?? -1, stdout: textOf(stdout), stderr: textOf(stderr), truncated }))
    child.stdin.on('error', () => {}) // a program that does not read its input closes it
    child.stdin.end(options.input)
  })
}

/** A character cut in two at the limit is left out. */
const textOf = (chunks: readonly Buffer[]): string =>
  new TextDecoder().decode(Buffer.concat(chunks), { stream: true }).replaceAll('\r\n', '\n')

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

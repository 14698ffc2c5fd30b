import { hostname, userInfo } from 'node:os'
import {
  type AtStake,
  type Audience,
  type BuiltinKit,
  type Call,
  type CallEffects,
  type ExecOptions,
  type Executed,
  type KitRequest,
  type Layer,
  type Machine,
  type StateStore,
  statePlace,
  type ToolRow,
} from '../../core/index.ts'
import { homeDirectory, stateDirectory, userDirectory } from '../../platform/index.ts'
import type { OpenCalls } from '../calls.ts'
import { hookEnvironment, hostDirectory, workingDirectory } from '../environment.ts'
import { files } from './files.ts'
import { exclusive } from './lock.ts'
import type { Outside } from './outside.ts'

/** What all calls of one set of hooks share. */
export interface KitServices {
  dataDir: string
  state: StateStore
  /** Loaded when a builtin first needs it: most never do, and a start is faster without. */
  outside(): Promise<Outside>
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
  toolRow(name: string): ToolRow | undefined {
    return this.#call.toolRow?.(name)
  }
  get redaction(): string | undefined {
    return this.#call.redaction
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
  get audience(): Audience {
    return this.#call.event.audience ?? 'person'
  }
  now(): Date {
    return new Date()
  }

  async atStake(
    asked: Parameters<BuiltinKit['atStake']>[0],
  ): Promise<{ stakes: readonly AtStake[]; workspace: string }> {
    const { atStakeHere } = await import('./stakes.ts')
    const { cwd, home, signal } = this
    return atStakeHere(asked, { cwd, home, signal, toolRow: (name) => this.toolRow(name) }, this.#call.event)
  }

  async effectsOf(
    call: { tool: string; input: Readonly<Record<string, unknown>> },
    place: { cwd: string; home: string },
  ): Promise<CallEffects> {
    const { effectsOf } = await import('./effects.ts')
    return effectsOf(call, place, this.toolRow(call.tool), this.#call.event)
  }

  async exec(program: string, args: readonly string[], options: ExecOptions = {}): Promise<Executed | undefined> {
    const { exec } = await this.#services.outside()
    return exec(program, args, { cwd: this.cwd, ...options, env: { ...this.env, ...options.env } }, this.signal)
  }
  async request(request: KitRequest): Promise<{ status: number; body: string }> {
    return (await this.#services.outside()).send(request, this.signal)
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
  declare identity: NonNullable<BuiltinKit['identity']>
  declare realpath: BuiltinKit['realpath']
  declare knownSecrets: NonNullable<BuiltinKit['knownSecrets']>
  declare write: BuiltinKit['write']
  declare append: BuiltinKit['append']
  declare remove: BuiltinKit['remove']
  declare exclusive: BuiltinKit['exclusive']
}
Object.assign(Kit.prototype, files, { exclusive })

const ownLayers = new Set<Layer>(['managed', 'fleet', 'user', 'session', 'code'])

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

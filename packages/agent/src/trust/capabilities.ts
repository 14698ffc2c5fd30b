import { isRecord } from 'hookline/internal'
import type { HarnessSpec, ModelSpec, Team, ToolsetSpec } from '../core/index.ts'
import { loopToolsets, serverNameOf } from '../tools/index.ts'

/**
 * Something that an agent file starts, reaches or allows without asking. It needs approval, since others may have
 * written the file; without approval it is left out of the team.
 */
export interface Capability {
  /** What it is called, the same for as long as it stands in the same place. */
  id: string
  /** What it does, in words. */
  does: string
  /** All that decides what happens. */
  run: { type: string; [option: string]: unknown }
  env: Readonly<Record<string, string>>
  workingDir?: string
  /** The parts of the team that have it: toolsets, the names of models, the rules. */
  of: readonly unknown[]
  /** What is left of such a toolset without it; absent: nothing. */
  without?(spec: ToolsetSpec): ToolsetSpec
}

/** What the team would do without asking. */
export function capabilitiesOf(team: Team): Capability[] {
  const toolsets = Object.values(team.agents).flatMap(({ name, toolsets }) =>
    toolsets.flatMap((spec) =>
      capabilitiesOfToolset(spec).map((found) => ({ ...found, id: `${name}/${found.id}`, of: [spec] })),
    ),
  )
  return distinct([...toolsets, ...capabilitiesOfModels(team), ...capabilitiesOfRules(team)])
}

/** The team without these. An agent can be left without a model. */
export function withoutCapabilities(team: Team, capabilities: readonly Capability[]): Team {
  const gone = (part: unknown) => capabilities.filter(({ of }) => of.includes(part))
  const agents = mapValues(team.agents, (agent) => ({
    ...withoutModels(agent, (name) => gone(name).length > 0),
    models: agent.models.filter((name) => gone(name).length === 0),
    toolsets: agent.toolsets.flatMap((spec) => {
      const left = gone(spec).reduce<ToolsetSpec | undefined>((rest, { without }) => rest && without?.(rest), spec)
      return left ?? []
    }),
  }))
  const models = mapValues(team.models, (spec) => withoutModels(spec, (name) => gone(name).length > 0))
  const allow = gone(team.permissions).length > 0 ? [] : team.permissions.allow
  return { ...team, agents, models, permissions: { ...team.permissions, allow } }
}

function withoutModels<T extends { routes?: ModelSpec['routes']; compactionModel?: string }>(
  spec: T,
  isGone: (name: string) => boolean,
): T {
  const { routes, compactionModel, ...rest } = spec
  return {
    ...rest,
    ...(routes ? { routes: routes.filter(({ model }) => !isGone(model)) } : {}),
    ...(compactionModel === undefined || isGone(compactionModel) ? {} : { compactionModel }),
  } as unknown as T
}

/** Merges equal capabilities, and numbers different ones of the same name. */
function distinct(capabilities: readonly Capability[]): Capability[] {
  const found = new Map<string, Capability>()
  for (const capability of capabilities) {
    const key = JSON.stringify([capability.run, capability.env, capability.workingDir])
    const known = found.get(key)
    found.set(key, known ? { ...known, of: [...known.of, ...capability.of] } : capability)
  }
  const times = new Map<string, number>()
  return [...found.values()].map((capability) => {
    const time = (times.get(capability.id) ?? 0) + 1
    times.set(capability.id, time)
    return time === 1 ? capability : { ...capability, id: `${capability.id}-${time}` }
  })
}

function capabilitiesOfRules({ permissions }: Team): Capability[] {
  const { allow } = permissions
  if (allow.length === 0) return []
  const does = 'lets these calls run without asking you'
  return [{ id: 'permissions', does, run: { type: 'permissions', allow }, env: {}, of: [permissions] }]
}

/** A model server receives the conversation and the named key. */
function capabilitiesOfModels({ agents, models }: Team): Capability[] {
  const named = Object.values(agents).flatMap(({ models: chain, compactionModel = '' }) => [...chain, compactionModel])
  const used = new Set(named.flatMap((name) => [name, ...othersOf(models[name])]))
  return [...used].flatMap((name) => {
    const spec = models[name]
    if (spec?.harness) return [capabilityOfHarness(name, spec.harness)]
    return spec && leadsAway(spec) ? [capabilityOfModel(name, spec)] : []
  })
}

/** Models that are called in its place. */
const othersOf = (spec: ModelSpec | undefined): string[] => [
  ...(spec?.routes ?? []).map(({ model }) => model),
  ...(spec?.compactionModel === undefined ? [] : [spec.compactionModel]),
]

const leadsAway = ({ baseURL, unloadApi }: ModelSpec): boolean =>
  [baseURL, unloadApi?.startsWith('/') ? undefined : unloadApi].some((url) => url !== undefined && !isHere(url))

/** This machine: nothing leaves it. A URL that is put together from variables could be anywhere. */
const isHere = (url: string): boolean =>
  /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/.test(url)

const capabilityOfHarness = (name: string, harness: HarnessSpec): Capability => {
  const { type, ...settings } = harness
  const does = 'starts this coding agent, which works with tools of its own'
  return { id: name, does, run: { type: 'harness', harness: type, ...settings }, env: {}, of: [name] }
}

function capabilityOfModel(name: string, spec: ModelSpec): Capability {
  const { baseURL: url, provider, model, keyVariable, headers, unloadApi } = spec
  const given = Object.entries({ keyVariable, headers, unloadApi }).filter(([, value]) => value !== undefined)
  const run = { type: 'model-server', url, provider, model, ...Object.fromEntries(given) }
  return { id: `model/${name}`, does: 'gets the whole conversation, and a key', run, env: {}, of: [name] }
}

type Found = Omit<Capability, 'of'>

function capabilitiesOfToolset(spec: ToolsetSpec): Found[] {
  if (loopToolsets.includes(spec.type)) return []
  return (Object.hasOwn(kinds, spec.type) ? kinds[spec.type]! : asOne(spec.type, []))(spec)
}

/** What every toolset may say of itself. */
const plain = ['type', 'tools', 'safer', 'readonly', 'name', 'instruction', 'defer', 'toon']

/**
 * By toolset: what needs approval. Other toolsets, and options that are not named here, need it as a whole: a new
 * option counts as dangerous until it is listed.
 */
const kinds: Readonly<Record<string, (spec: ToolsetSpec) => Found[]>> = {
  think: () => [],
  todo: () => [],
  filesystem: filesystem('filesystem'),
  file: filesystem('file'),
  shell: withVariables,
  background_jobs: withVariables,
  fetch: asOne('fetch', ['timeout', 'allowed_domains', 'blocked_domains', 'allow_private_ips']),
  memory: (spec) => (isBelow(spec['path']) ? [] : asOne('memory', [])(spec)),
  mcp(spec) {
    const { type: _, env, working_dir, remote, command, args, ...others } = spec
    const place = typeof working_dir === 'string' ? { workingDir: working_dir } : {}
    const program = isRecord(remote) ? {} : { command, args: Array.isArray(args) ? args.map(String) : [] }
    return [
      {
        id: `mcp/${serverNameOf(spec)}`,
        does: isRecord(remote)
          ? 'talks to this server, and offers its tools'
          : 'starts this program, and offers its tools',
        run: { type: 'mcp', ...program, ...(isRecord(remote) ? remote : {}), ...others },
        env: textsOf(env),
        ...place,
      },
    ]
  },
  script({ shell, env }) {
    const scripts = Object.entries(isRecord(shell) ? shell : {})
    return scripts.map(([name, script]) => {
      const { cmd, env: own, working_dir, ...others } = isRecord(script) ? script : { cmd: '' }
      return {
        id: `script/${name}`,
        does: 'is a tool that runs this command line',
        run: { type: 'command', shell: 'bash', command: String(cmd), ...others },
        env: { ...textsOf(env), ...textsOf(own) },
        ...(typeof working_dir === 'string' ? { workingDir: working_dir } : {}),
        without: (spec) => ({ ...spec, shell: omit(spec['shell'], name) }),
      }
    })
  },
}

function filesystem(type: string) {
  const places = asOne(type, ['ignore_vcs', 'deny_list'])
  return (spec: ToolsetSpec): Found[] => {
    const { post_edit, ...others } = spec
    const commands = (Array.isArray(post_edit) ? post_edit : []).filter(isRecord)
    return [
      ...places(others as ToolsetSpec),
      ...commands.map(
        (entry): Found => ({
          id: `${type}/post_edit/${String(entry['path'])}`,
          does: 'runs this command line whenever the agent has written such a file',
          run: { type: 'command', shell: 'bash', command: String(entry['cmd']), path: entry['path'] },
          env: {},
          without: (given) => ({
            ...given,
            post_edit: (given['post_edit'] as unknown[]).filter((each) => each !== entry),
          }),
        }),
      ),
    ]
  }
}

/** Variables can make every command do something else; without them the commands are what they are. */
function withVariables(spec: ToolsetSpec): Found[] {
  const { env, ...others } = spec
  const rest = asOne(spec.type, [])(others as ToolsetSpec)
  if (env === undefined) return rest
  const without = ({ env: _, ...left }: ToolsetSpec) => left as ToolsetSpec
  const does = 'sets these variables for every command'
  return [{ id: `${spec.type}/env`, does, run: { type: 'variables' }, env: textsOf(env), without }, ...rest]
}

/** Where one option is not harmless, all of them together: who approves it approves what bounds it, too. */
function asOne(type: string, harmless: readonly string[]) {
  return (spec: ToolsetSpec): Found[] => {
    const given = Object.entries(spec).filter(([key]) => !plain.includes(key))
    if (given.every(([key]) => harmless.includes(key))) return []
    const { env, ...options } = Object.fromEntries(given)
    return [
      {
        id: type,
        does: 'works with these settings',
        run: { type: 'toolset', toolset: type, ...options },
        env: textsOf(env),
      },
    ]
  }
}

/** A path that stays in the workspace, as it is written. */
const isBelow = (path: unknown): boolean =>
  path === undefined || (typeof path === 'string' && !/^[/~\\]|^[a-z]:|\$|(?:^|[/\\])\.\.(?:[/\\]|$)/i.test(path))

const textsOf = (value: unknown): Record<string, string> =>
  isRecord(value) ? mapValues(value, (each) => String(each)) : {}

const omit = (value: unknown, key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(isRecord(value) ? value : {}).filter(([each]) => each !== key))

const mapValues = <T, R>(record: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

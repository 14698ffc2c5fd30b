import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { didYouMean, formatPath, homeDirectory, type Note, note, stateDirectory, validate } from 'hookline/internal'
import type { AgentSpec, OpenTools, Tool, ToolCall, ToolsetSpec } from '../core/index.ts'
import type { Container } from './container/index.ts'
import { type Deferred, deferredTools } from './deferred.ts'
import type { OpenToolset, Toolset, ToolsetContext } from './define.ts'
import type { SignIn } from './mcp/sign-in.ts'
import type { SandboxSession } from './sandbox.ts'

export { type Container, openContainer } from './container/index.ts'
export { bindTool, defineTool } from './define.ts'
export type { FileChange } from './filesystem/changes.ts'
export type { Invitation, SignIn } from './mcp/sign-in.ts'
export { serverNameOf } from './mcp/tool.ts'
export { openSandbox, type SandboxSession } from './sandbox.ts'
export { findSkills, readSkill, type Skill } from './skills.ts'
export { readTodos } from './todo.ts'

// biome-ignore lint/suspicious/noExplicitAny: the options are the toolset's own affair
type AnyToolset = Toolset<any>

/** Every toolset that an agent file can name, by docker-agent's names; loaded when one does. */
export const toolsets: Readonly<Record<string, () => Promise<AnyToolset>>> = {
  filesystem: async () => (await import('./filesystem/index.ts')).filesystem,
  file: async () => (await import('./filesystem/index.ts')).file,
  shell: async () => (await import('./shell/index.ts')).shellToolset,
  background_jobs: async () => (await import('./shell/index.ts')).backgroundJobs,
  script: async () => (await import('./shell/index.ts')).scripts,
  fetch: async () => (await import('./fetch/index.ts')).fetchToolset,
  think: async () => (await import('./think.ts')).thinkToolset,
  todo: async () => (await import('./todo.ts')).todoToolset,
  memory: async () => (await import('./memory.ts')).memoryToolset,
  mcp: async () => (await import('./mcp/index.ts')).mcpToolset,
}

/** What a call would change in a file, for a person to see; undefined when it changes none. */
export const changeOf = async (call: Pick<ToolCall, 'name' | 'input'>, cwd: string) =>
  (await import('./filesystem/changes.ts')).changeOf(call, cwd)

/** Toolsets that are part of the loop itself: naming them is right, and there is nothing to open. */
export const loopToolsets: readonly string[] = ['user_prompt', 'transfer_task', 'handoff', 'background_agents']

export interface OpenToolsOptions {
  /** The workspace. */
  cwd: string
  env?: Readonly<Record<string, string | undefined>>
  home?: string
  /** Virtual files and a shell without programs, instead of the machine. */
  sandbox?: SandboxSession
  /** Command lines run in here. Files of the workspace are the same inside and outside. */
  container?: Container
  /** Variables that commands and servers do not get, besides the keys of the usual model providers. */
  secrets?: readonly string[]
  /** Directories outside of the workspace that may be read, such as where long results are kept. */
  readable?: readonly string[]
  dataDir?: string
  /** MCP servers whose word that a call only reads (`readOnlyHint`) counts. Default: none. */
  trustedHints?: readonly string[]
  /**
   * False: `allow_private_ips` of toolsets, or of this one, has no effect, as for an agent file that is not approved.
   */
  allowLocal?: boolean | ((toolset: ToolsetSpec) => boolean)
  /**
   * Why a toolset may not start its program now, or this command line of several, if so: asked each time it would. A server
   * that died is started again by the next call. Default: it may.
   */
  mayNotStart?(toolset: ToolsetSpec, command?: string): string | undefined
  /** Where accounts at MCP servers are kept, and who can sign in there. Default: the state directory, and nobody. */
  signIn?: Partial<SignIn>
  /** Shared by the agents of one session: their `shared` lists hang on it. */
  session?: object
  /** What went wrong and does not stop the agent. */
  warn?(note: Note): void
}

/** The tools of an agent. A toolset that cannot be opened is a warning, and the others work. */
export async function openTools(agent: AgentSpec, options: OpenToolsOptions): Promise<OpenTools> {
  const context = await contextOf(agent, options)
  const { allowLocal = true } = options
  const open = (spec: ToolsetSpec) =>
    openOne(spec, {
      ...context,
      allowLocal: typeof allowLocal === 'boolean' ? allowLocal : allowLocal(spec),
      mayNotStart: (command) => options.mayNotStart?.(spec, command),
    })
  const waiting = agent.toolsets.filter(({ defer }) => defer === true)
  const opened = await Promise.all(agent.toolsets.filter((spec) => !waiting.includes(spec)).map(open))
  const sets = opened.filter((set) => set !== undefined)
  const warned = new Set<string>()
  let late: Promise<unknown> | undefined
  const deferred: Deferred = {
    active: new Set(),
    async all() {
      late ??= Promise.all(waiting.map(open)).then((more) => sets.push(...more.filter((set) => set !== undefined)))
      await late
      return distinct(sets, warned, context).flatMap(({ tool, deferred }) => (deferred ? [tool] : []))
    },
  }
  const finders = agent.toolsets.some(({ defer }) => defer !== undefined && defer !== false)
    ? deferredTools(deferred)
    : []
  return {
    get tools() {
      const all = distinct(sets, warned, context)
      const here = all.filter((each) => !each.deferred || deferred.active.has(each.tool.name))
      return [...here.map(({ tool }) => tool), ...finders]
    },
    async close() {
      await late
      await Promise.allSettled(sets.map(({ set }) => set.close?.()))
    },
  }
}

interface NamedSet {
  type: string
  set: OpenToolset
  /** docker-agent's `tools:`: the ones to show. */
  only: readonly string[] | undefined
  /** docker-agent's `readonly:`: only those that never change anything. */
  readonly: boolean
  /** docker-agent's `defer:`: all of them, or those of these names, wait until the model asks for them. */
  defer: unknown
}

/** MCP tools are called by the name that their server gives them, too. */
const isCalled = (tool: string, name: string): boolean => tool === name || tool.endsWith(`_${name}`)

const isDeferred = (tool: string, { defer }: NamedSet): boolean =>
  defer === true || (Array.isArray(defer) && defer.some((name) => isCalled(tool, String(name))))

async function openOne(spec: ToolsetSpec, context: ToolsetContext): Promise<NamedSet | undefined> {
  const { type } = spec
  if (loopToolsets.includes(type)) return undefined
  const load = Object.hasOwn(toolsets, type) ? toolsets[type] : undefined
  if (!load) {
    const known = Object.keys(toolsets)
    context.warn(note('toolset-unsupported', { type, hint: didYouMean(type, known), known: known.join(', ') }))
    return undefined
  }
  const toolset = await load()
  if (context.sandbox && toolset.outsideOnly !== undefined) {
    context.warn(note('toolset-not-in-sandbox', { type, why: toolset.outsideOnly }))
    return undefined
  }
  const options = readOptions(spec, toolset, context)
  if (!options) return undefined
  if (!context.allowLocal && spec['allow_private_ips'] === true) context.warn(note('private-ips-refused', { type }))
  try {
    const set = await toolset.open(options.known, context)
    return { type, set, only: options.tools, readonly: spec['readonly'] === true, defer: spec['defer'] }
  } catch (error) {
    context.warn(note('toolset-failed', { type, detail: (error as Error).message }))
    return undefined
  }
}

/** Unknown options are warnings; invalid values of known ones keep the toolset from opening. */
function readOptions(spec: ToolsetSpec, toolset: Toolset, context: ToolsetContext) {
  // `safer` implies a hook; it is read where hooks are composed.
  const { type, tools, safer: _safer, defer: _defer, readonly: _readonly, ...given } = spec
  const known: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    if (Object.hasOwn(toolset.options.shape, key)) known[key] = value
    else context.warn(note('toolset-option-ignored', { type, option: key }))
  }
  const read = validate(toolset.options, known)
  if (read.ok) return { known: read.value, tools: Array.isArray(tools) ? tools.map(String) : undefined }
  const [first] = read.problems
  const detail = first ? `\`${formatPath(first.path)}\` ${first.detail}. ${first.fix}` : 'its options are wrong.'
  context.warn(note('toolset-failed', { type, detail }))
  return undefined
}

/** Of two tools with one name, the first counts. */
function distinct(
  sets: readonly NamedSet[],
  warned: Set<string>,
  context: ToolsetContext,
): { tool: Tool; deferred: boolean }[] {
  const tools = new Map<string, { tool: Tool; deferred: boolean }>()
  for (const named of sets) {
    const { type, set, only, readonly } = named
    for (const tool of set.tools) {
      if (only && !only.some((name) => isCalled(tool.name, name))) continue
      if (readonly && !tool.onlyReads) continue
      if (!tools.has(tool.name)) tools.set(tool.name, { tool, deferred: isDeferred(tool.name, named) })
      else if (!warned.has(`${type} ${tool.name}`)) {
        warned.add(`${type} ${tool.name}`)
        context.warn(note('tool-name-taken', { type, tool: tool.name }))
      }
    }
  }
  return [...tools.values()]
}

async function contextOf(agent: AgentSpec, options: OpenToolsOptions): Promise<ToolsetContext> {
  const home = options.home ?? homeDirectory()
  const { env = process.env, secrets = [], readable = [], session = {} } = options
  return {
    agent: agent.name,
    cwd: await realpath(options.cwd),
    home,
    env,
    secrets,
    readable,
    trustedHints: options.trustedHints ?? [],
    dataDir: options.dataDir ?? join(env['XDG_DATA_HOME'] ?? join(home, '.local/share'), 'hookline'),
    allowLocal: true,
    mayNotStart: () => undefined,
    sandbox: options.sandbox,
    container: options.container,
    signIn: { directory: join(stateDirectory(), 'mcp'), ...options.signIn },
    session,
    warn: options.warn ?? (() => {}),
  }
}

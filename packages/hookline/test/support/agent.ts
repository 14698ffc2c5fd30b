import type { Message, Model, ModelRequest } from '../../../agent/src/index.ts'
import {
  type Agent,
  type AgentOptions,
  type Happening,
  openAgent,
  rehearse,
  type Tool,
} from '../../../agent/src/index.ts'
import type { EventName, Verdict } from '../../src/core/index.ts'
import { createHooks, type Hooks, type HooksOptions } from '../../src/hooks/index.ts'

type Script = Parameters<typeof rehearse>[0]
export type ScriptedTurn = NonNullable<Script['turns']>[number]

export interface Raised {
  event: EventName
  payload: Record<string, unknown>
}

export interface Stage {
  agent: Agent
  hooks: Hooks
  /** Every event, in the order it was raised. */
  raised: Raised[]
  /** What the model received, call by call. */
  requests: ModelRequest[]
  happenings: Happening[]
  /** The payloads of one event. */
  of(event: EventName): Record<string, unknown>[]
}

export interface Setting extends Partial<Omit<AgentOptions, 'raise' | 'openModel' | 'openTools'>> {
  turns?: readonly ScriptedTurn[]
  script?: Script
  tools?: readonly Tool[]
  hooks?: HooksOptions['hooks']
  /** Config files of any system. */
  files?: HooksOptions['files']
  /** Settings of the only agent, or of all. */
  spec?: Partial<AgentOptions['team']['agents'][string]>
  agents?: Record<string, Partial<AgentOptions['team']['agents'][string]>>
  /** What they may spend. */
  limits?: Pick<AgentOptions['team'], 'budget' | 'budgets'>
  /** Names of models, each with its own script. */
  models?: Record<string, Script>
  /** Around every model, for what no script can say. */
  through?(model: Model): Model
  /** Before the session begins: where functions are added. */
  prepare?(hooks: Hooks): void
}

/** An agent with nothing but a model called `main`. */
export const plainAgent = {
  description: '',
  instruction: 'You help.',
  models: ['main'],
  toolsets: [],
  subAgents: [],
  handoffs: [],
  maxConsecutiveToolCalls: 5,
  hooks: {},
}

/** The real loop, on the rehearsal model, with the real engine behind `raise`. */
export async function stage(setting: Setting = {}): Promise<Stage> {
  const {
    turns,
    script,
    tools = [],
    hooks: code,
    files,
    spec,
    agents,
    limits,
    models = {},
    prepare,
    through = (model) => model,
    ...options
  } = setting
  const hooks = await createHooks({ ...(code ? { hooks: code } : {}), ...(files ? { files } : {}), journal: false })
  prepare?.(hooks)
  const raised: Raised[] = []
  const requests: ModelRequest[] = []
  const happenings: Happening[] = []
  const main = script ?? { turns: [...(turns ?? [])], default: { say: 'Done.' } }
  const known = new Map(Object.entries({ main, ...models }).map(([name, each]) => [name, rehearse({ name, ...each })]))
  const base = { ...plainAgent, ...spec }
  const named = agents ?? { root: {} }
  const team = {
    agents: Object.fromEntries(Object.entries(named).map(([name, own]) => [name, { name, ...base, ...own }])),
    root: Object.keys(named)[0]!,
    models: {},
    permissions: { allow: ['*'], ask: [], deny: [] },
    snapshot: false,
    ...limits,
  } as unknown as AgentOptions['team']
  const agent = await openAgent({
    team,
    cwd: process.cwd(),
    ...options,
    raise: async (event, payload, given) => {
      raised.push({ event, payload: payload as Record<string, unknown> })
      return (await hooks.raise(event, payload, given)) as Verdict<typeof event>
    },
    async openModel(name) {
      const played = known.get(name)
      if (!played) throw new Error(`There is no model ${name}.`)
      const model = through(played)
      return {
        ...model,
        stream(request, signal) {
          requests.push(request)
          return model.stream(request, signal)
        },
      }
    },
    openTools: async () => ({ tools, close: async () => {} }),
    watch(happening) {
      happenings.push(happening)
      options.watch?.(happening)
    },
  })
  const of = (event: EventName) => raised.filter((each) => each.event === event).map(({ payload }) => payload)
  return { agent, hooks, raised, requests, happenings, of }
}

/** Ends what a test began. */
export async function close({ agent, hooks }: Stage): Promise<void> {
  await agent.end('other')
  await hooks.close()
}

export const texts = (messages: readonly Message[], role: Message['role']): string[] =>
  messages.filter((message) => message.role === role).map(({ content }) => content)

/** A tool that does what the test says. */
export function makeTool(name: string, run: Tool['run'], more: Partial<Tool> = {}): Tool {
  return {
    name,
    description: `The tool ${name}.`,
    parameters: { type: 'object' },
    category: 'test',
    parse: (input) => ({ ok: true, input }),
    run,
    ...more,
  }
}

export const echo = makeTool('echo', async ({ text }) => ({ content: `echo: ${String(text)}` }))
export const broken = makeTool('broken', async () => ({ content: 'it broke', error: true }))

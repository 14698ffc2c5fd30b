import { randomUUID } from 'node:crypto'
import type { AgentOptions } from '../agent.ts'
import type { Model } from '../model.ts'
import type { Permissions } from '../permissions/index.ts'
import { createPermissions } from '../permissions/index.ts'
import type { AgentSpec } from '../team.ts'
import type { OpenTools } from '../tool.ts'
import { makeSession, type Session } from './session.ts'

/** What all sessions of one agent share: how to raise and watch, permissions, and what is open. */
export interface House {
  readonly options: AgentOptions
  readonly permissions: Permissions
  readonly permissionMode: string
  /** Questions to the person wait here for their turn. */
  asking: Promise<unknown>
  toolsOf(spec: AgentSpec): Promise<OpenTools>
  modelsOf(spec: AgentSpec): Promise<readonly Model[]>
  /** By agent: the model that took over after a rate limit, and until when it goes first. */
  readonly resting: Map<string, { first: string; until: number }>
  /** A session of its own for a sub-agent. */
  child(spec: AgentSpec, parent: Session): Promise<Session>
  /** Sub-agents that work beside their parent. */
  readonly background: Map<string, BackgroundTask>
  close(): Promise<void>
}

export interface BackgroundTask {
  id: string
  agent: string
  task: string
  state: 'running' | 'done' | 'failed' | 'stopped'
  response: string
  stop(): void
  ended: Promise<void>
}

export function makeHouse(options: AgentOptions): House {
  const permissions = options.permissions ?? createPermissions({ team: options.team.permissions })
  const tools = new Map<string, Promise<OpenTools>>()
  const models = new Map<string, Promise<Model>>()
  return {
    options,
    permissions,
    get permissionMode() {
      return permissions.yolo ? 'yolo' : 'default'
    },
    asking: Promise.resolve(),
    toolsOf: (spec) => once(tools, spec.name, () => options.openTools(spec)),
    modelsOf: (spec) => Promise.all(spec.models.map((name) => once(models, name, () => options.openModel(name)))),
    resting: new Map(),
    async child(spec, parent) {
      const id = randomUUID()
      return makeSession(this, spec, id, parent, await options.openLog?.(id, parent.id))
    },
    background: new Map(),
    async close() {
      const open = await Promise.allSettled(tools.values())
      await Promise.allSettled(open.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined)))
    },
  }
}

/** What failed to open is tried again the next time. */
function once<T>(known: Map<string, Promise<T>>, name: string, open: () => Promise<T>): Promise<T> {
  const found = known.get(name)
  if (found) return found
  const opening = open()
  known.set(name, opening)
  opening.catch(() => known.delete(name))
  return opening
}

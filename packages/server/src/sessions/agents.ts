import type { PermissionMode } from '@hookline/agent'
import { one, type Sql } from '../store/index.ts'

/** How sessions of an agent are opened. */
export interface AgentSettings {
  /** An agent file, as a path from the project; absent: the usual agent. */
  file?: string
  model?: string
  /** What the rehearsal model plays, as a path from the project. */
  rehearse?: string
  permission_mode?: PermissionMode
}

export const permissionModes = ['plan', 'default', 'accept-edits', 'yolo'] as const satisfies readonly PermissionMode[]

/** What sessions are made of: where it works, and how. */
export interface AgentDefinition {
  name: string
  project: string
  settings: AgentSettings
  by: string
  created: string
}

/** The agent that is always there, unless somebody defines it otherwise: the usual one, where the server was started. */
export const usualAgent = 'default'

export interface Agents {
  list(): Promise<AgentDefinition[]>
  find(name: string): Promise<AgentDefinition | undefined>
  define(agent: Omit<AgentDefinition, 'created'>): Promise<void>
  remove(name: string): Promise<boolean>
}

export function openAgents(sql: Sql, cwd: string): Agents {
  const usual: AgentDefinition = {
    ...{ name: usualAgent, project: cwd, settings: {}, by: '', created: new Date(0).toISOString() },
  }
  const find = async (name: string) => {
    const row = await one<Row>(sql, 'select * from agents where name = $1', [name])
    return row ? asAgent(row) : name === usualAgent ? usual : undefined
  }
  return {
    find,
    async list() {
      const own = (await sql.all<Row>('select * from agents order by name')).map(asAgent)
      return own.some(({ name }) => name === usualAgent) ? own : [usual, ...own]
    },
    async define({ name, project, settings, by }) {
      await sql.run(
        `insert into agents (name, project, settings, made_by, created) values ($1, $2, $3, $4, $5)
          on conflict (name) do update set project = excluded.project, settings = excluded.settings`,
        [name, project, JSON.stringify(settings), by, Date.now()],
      )
    },
    remove: async (name) => (await sql.run('delete from agents where name = $1', [name])) > 0,
  }
}

interface Row {
  name: string
  project: string
  settings: string
  made_by: string
  created: number
}

const asAgent = ({ name, project, settings, made_by: by, created }: Row): AgentDefinition => ({
  ...{ name, project, settings: JSON.parse(settings) as AgentSettings, by, created: new Date(created).toISOString() },
})

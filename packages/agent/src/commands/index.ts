import { type AgentPackage, toJsonSchema } from 'hookline/internal'
import { scriptSchema } from '../models/index.ts'

export { capabilitiesOfFiles } from '../trust/index.ts'

/** The commands of this package, loaded when they are called. */
export const commands: AgentPackage['commands'] = {
  run: () => import('./run.ts'),
  sessions: () => import('./sessions.ts'),
}

/** The JSON Schema of rehearsal scripts, for editors. */
export const renderRehearsalSchema = () => ({ title: 'Hookline rehearsal', ...toJsonSchema(scriptSchema) })

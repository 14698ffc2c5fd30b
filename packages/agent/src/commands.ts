/**
 * What the `hookline` command finds here.
 * @module
 */
import { type AgentPackage, toJsonSchema } from 'hookline/internal'
import { scriptSchema } from './models/rehearsal/script.ts'

export { capabilitiesOfFiles } from './trust/inspect.ts'

/** The commands of this package, loaded when they are called. */
export const commands: AgentPackage['commands'] = {
  run: () => import('./commands/run.ts'),
  sessions: () => import('./commands/sessions.ts'),
}

/** The JSON Schema of rehearsal scripts, for editors. */
export const renderRehearsalSchema = () => ({ title: 'Hookline rehearsal', ...toJsonSchema(scriptSchema) })

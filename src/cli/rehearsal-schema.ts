import { scriptSchema } from '../agent/models/rehearsal/script.ts'
import { toJsonSchema } from '../config/schema.ts'

/** The JSON Schema of rehearsal scripts, for editors. */
export const renderRehearsalSchema = () => ({ title: 'Hookline rehearsal', ...toJsonSchema(scriptSchema) })

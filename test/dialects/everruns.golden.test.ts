import { join } from 'node:path'
import { provesDocument } from './golden.ts'

provesDocument('everruns', 'agent.json', join(import.meta.dirname, 'everruns/golden'))

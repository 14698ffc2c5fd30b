import { join } from 'node:path'
import { provesDocument } from './golden.ts'

provesDocument('pydantic-deep', 'pydantic-deep.json', join(import.meta.dirname, 'pydantic-deep/golden'))

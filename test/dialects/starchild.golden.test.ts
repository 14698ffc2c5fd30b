import { join } from 'node:path'
import { provesDocument } from './golden.ts'

provesDocument('starchild', 'shell_hooks.yaml', join(import.meta.dirname, 'starchild/golden'))

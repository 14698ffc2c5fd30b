import { join } from 'node:path'
import { playGoldens } from '../support/golden.ts'

playGoldens('starchild', join(import.meta.dirname, 'starchild/golden'), 'shell_hooks.yaml')

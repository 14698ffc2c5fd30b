import { join } from 'node:path'
import { playGoldens } from '../support/golden.ts'

playGoldens('claude-code', join(import.meta.dirname, 'claude-code/golden'), 'settings.json')

import { join } from 'node:path'
import { it } from 'vitest'
import { playGoldens } from '../support/golden.ts'

// One after another: its hooks have 5 s by default, and several sandboxes that start at once need that on a busy machine.
playGoldens('everruns', join(import.meta.dirname, 'everruns/golden'), 'agent.json', it.sequential)

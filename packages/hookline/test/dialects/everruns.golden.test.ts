import { join } from 'node:path'
import { playGoldens } from '../support/golden.ts'

playGoldens('everruns', join(import.meta.dirname, 'everruns/golden'), 'agent.json')

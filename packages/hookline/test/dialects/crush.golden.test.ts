import { join } from 'node:path'
import { playGoldens } from '../support/golden.ts'

playGoldens('crush', join(import.meta.dirname, 'crush/golden'), 'crush.json')

import { join } from 'node:path'
import { playGoldens } from '../support/golden.ts'

playGoldens('pydantic-deep', join(import.meta.dirname, 'pydantic-deep/golden'), 'pydantic-deep.json')

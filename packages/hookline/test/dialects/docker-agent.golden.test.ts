import { join } from 'node:path'
import { playGoldens } from '../support/golden.ts'

playGoldens('docker-agent', join(import.meta.dirname, 'docker-agent/golden'), 'agent.yaml')

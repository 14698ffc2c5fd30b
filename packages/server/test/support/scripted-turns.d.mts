import type { createPermissions, openAgent } from '@hookline/agent'
import type { Turn, WorkerOptions } from '../../src/index.ts'

export function scripted(
  library: { openAgent: typeof openAgent; createPermissions: typeof createPermissions },
  options?: {
    at?(point: string, turn: Turn): Promise<void>
    act?(name: string, turn: Turn, call: string): Promise<void>
    slowMs?: number
  },
): WorkerOptions['open']

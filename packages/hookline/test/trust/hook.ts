import { join } from 'node:path'
import { type Hook, hookDefaults, programPins, type Run } from '../../src/core/index.ts'
import { createExecutors } from '../../src/executors/index.ts'
import type { Place } from '../../src/trust/index.ts'
import { missing } from '../support/scratch.ts'

const home = missing()

/** A hook of a config file in this directory. */
export function hookIn(directory: string, run: string | Run, more: Partial<Hook> = {}): Hook {
  return {
    ...hookDefaults,
    id: 'guard',
    event: 'pre_tool_use',
    dialect: 'native',
    run: typeof run === 'string' ? { type: 'command', command: run } : run,
    origin: { layer: 'project', where: { file: join(directory, 'hookline.yaml'), line: 3 } },
    ...more,
  }
}

export function placeIn(directory: string, variables: Record<string, string> = {}): Place {
  const known: Record<string, string | undefined> = { PATH: process.env['PATH'], HOME: home, ...variables }
  return { directory, variable: (name) => known[name], pins: pinsOf }
}

const executors = await createExecutors()

/** As the executor of the type says; agent files bring programs of their own. */
const pinsOf = ({ type, ...spec }: Run) => (type === 'mcp' ? programPins(spec) : executors[type]!.pins(spec))

import type { BuiltinKit } from '../../core/index.ts'
import { findingsOnce } from '../../guards/shell/index.ts'
import { existingRealPath } from '../../platform/index.ts'
import { keptFiles, workspaceOf } from '../../platform/look/index.ts'
import { type Actions, actionsOf, type Look, type Slot } from '../../rules/index.ts'
import { type Stake, stakesOf } from '../../stakes/index.ts'
import { lookDuring } from '../look.ts'

type Asked = Parameters<BuiltinKit['atStake']>[0]

/** What a call puts at stake on this machine. */
export async function atStakeHere(
  { tool, input, command, cwd: own }: Asked,
  { cwd: usual, home, toolRow, signal }: Pick<BuiltinKit, 'cwd' | 'home' | 'toolRow' | 'signal'>,
  event: object = {},
): Promise<{ stakes: Stake[]; workspace: string }> {
  const look = lookDuring(event, home)
  const cwd = own ?? usual
  const findings = command === undefined ? [] : findingsOnce({ command, cwd, home }, machineOf(look))
  const called = command === undefined ? { tool, input, cwd } : { tool: 'shell', input: { command }, cwd }
  const actions = actionsOf(called, look, command === undefined ? toolRow?.(tool) : undefined)
  const [realHome, realCwd] = [existingRealPath(home) ?? home, existingRealPath(cwd) ?? cwd]
  const workspace = workspaceOf(realCwd)
  const setting = { home: realHome, cwd: realCwd, workspace }
  const real = spelledOut(spelledOut(actions, cwd, realCwd), home, realHome)
  const question = { line: command ?? '', findings, actions: real, setting }
  return { stakes: await stakesOf(question, keptFiles({ workspace, signal })), workspace }
}

const machineOf = ({ isDirectory, read }: Look) => ({ ...(isDirectory && { isDirectory }), ...(read && { read }) })

/** What is not there yet has no real path: the directory above it has. */
function spelledOut(actions: Actions, from: string, to: string): Actions {
  if (from === to) return actions
  const spell = (slot: Slot): Slot => {
    const [first = '', ...rest] = slot.parts
    return first === from || first.startsWith(`${from}/`)
      ? { ...slot, parts: [to + first.slice(from.length), ...rest] }
      : slot
  }
  return {
    ...actions,
    actions: actions.actions.map((action) =>
      'paths' in action ? { ...action, paths: action.paths.map(spell) } : action,
    ),
  }
}

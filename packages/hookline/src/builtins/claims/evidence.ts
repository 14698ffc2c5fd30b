import type { BuiltinKit } from '../../core/index.ts'
import { matchesName } from '../patterns.ts'
import { shellOf, type ToolCall } from '../tools.ts'

/** What happened in the session, as far as it was seen. */
export interface Deeds {
  tools: string[]
  commands: string[]
}

/** What counts as having done it. */
export interface Proof {
  tools: readonly string[]
  commands: RegExp
}

const most = 500

/** Marks that deeds are being recorded, so that none means none. */
export const beginDeeds = (kit: BuiltinKit): Promise<Deeds> =>
  kit.update<Deeds>('deeds', (deeds) => deeds ?? { tools: [], commands: [] })

export async function recordDeed(
  call: ToolCall & { tool_error?: boolean | undefined; success?: boolean | undefined },
  kit: BuiltinKit,
): Promise<void> {
  if (call.tool_error === true || call.success === false) return void (await beginDeeds(kit))
  const command = shellOf(call)?.command
  await kit.update<Deeds>('deeds', (deeds = { tools: [], commands: [] }) => ({
    tools: [...new Set([...deeds.tools, call.tool_name])].slice(-most),
    commands: command === undefined ? deeds.commands : [...deeds.commands, command.slice(0, 2_000)].slice(-most),
  }))
}

/** Undefined when nobody recorded anything and the host does not say: then nothing can be concluded. */
export async function deedsOf(
  payload: { tool_names?: readonly string[] | undefined },
  kit: BuiltinKit,
): Promise<Deeds | undefined> {
  const recorded = await kit.recall<Deeds>('deeds')
  if (!recorded && !payload.tool_names) return undefined
  return { tools: [...(recorded?.tools ?? []), ...(payload.tool_names ?? [])], commands: recorded?.commands ?? [] }
}

export function wasDone(deeds: Deeds, proof: Proof): boolean {
  return (
    deeds.tools.some((tool) => matchesName(proof.tools, tool)) ||
    deeds.commands.some((command) => proof.commands.test(command))
  )
}

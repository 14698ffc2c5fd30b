import { HooklineError, note, type StatePlace, sortedKeys, statePlace, stringifyJson } from '../core/index.ts'
import type { Seam } from './contract.ts'
import type { Line } from './line.ts'

/**
 * A question that waits for its answer is kept in the state of its session, under its token: a digest of what it is about.
 * The answer counts once, and only while the digest is the same: same tool, same final input, same rules, same person.
 */
interface Kept {
  about: string
}

const scope = 'approvals'

export async function keepQuestion<I extends object>(
  seam: Seam,
  line: Line<I>,
  input: I,
  token: string = globalThis.crypto.randomUUID(),
): Promise<string> {
  const kept: Kept = { about: await digestOf(seam, line, input) }
  await seam.state.update(placeOf(line, input, token), () => kept)
  return token
}

/** Uses an answer up. Gives back why it does not count. */
export async function takeAnswer<I extends object>(
  seam: Seam,
  line: Line<I>,
  input: I,
  token: string,
): Promise<string | undefined> {
  const about = await digestOf(seam, line, input)
  let found: Kept | undefined
  await seam.state.update(placeOf(line, input, token), (current) => {
    found = current as Kept | undefined
    return found?.about === about ? undefined : current
  })
  if (found === undefined) return unknown(line.tool)
  return found.about === about ? undefined : changed(line.tool)
}

const unknown = (tool: string) =>
  `The approval of this call of \`${tool}\` is not known here, or was used already. It has to be asked for again.`
const changed = (tool: string) =>
  `What was approved is not what \`${tool}\` would do now: the input or the rules have changed since. It has to be asked for again.`

function placeOf<I extends object>(line: Line<I>, input: I, token: string): StatePlace {
  if (token === '') throw new HooklineError(note('approval-token', {}))
  return statePlace({ payload: line.about(input) as never }, scope, token)
}

async function digestOf<I extends object>(seam: Seam, line: Line<I>, input: I): Promise<string> {
  const { tool_name, tool_input, principal, tenant } = line.about(input)
  const about = stringifyJson(
    // Another process may have parsed the same call in another order.
    sortedKeys([tool_name, tool_input, principal ?? null, tenant ?? null, await seam.policy()]),
  )
  return sha256(about)
}

export async function sha256(text: string): Promise<string> {
  const bytes = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

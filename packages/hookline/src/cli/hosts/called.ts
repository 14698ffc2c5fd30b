import { callerOf, raisedAs } from '../../hosts/index.ts'

/**
 * Who really calls. An agent that reads the files of another runs the entry there, and one of its own where that is
 * installed: then that one answers (`elsewhere`), and this one has nothing to say.
 */
export async function whoCalls(
  host: string,
  payload: Readonly<Record<string, unknown>>,
  cwd: string,
): Promise<{ caller: string; elsewhere: boolean }> {
  const caller = callerOf(host, payload)
  if (caller === host) return { caller: raisedAs(caller), elsewhere: false }
  const { isInstalledFor } = await import('../../install/index.ts')
  return { caller: raisedAs(caller), elsewhere: await isInstalledFor(caller, cwd) }
}

import { eventRow } from '../core/index.ts'
import type { Entry } from './entry.ts'
import { queryJournal } from './query.ts'

/**
 * Tool calls that ran although the journal has no decision about them before, or one against them: the entries that tell
 * that they ran. Needs a journal of all dispatches (`record: 'all'`), hosts that send `tool_use_id`, and memory for one id per call.
 */
export async function* undecidedCalls(files: string | readonly string[]): AsyncGenerator<Entry> {
  const decided = new Set<string>()
  for await (const entry of queryJournal(files)) {
    if (entry.tool_use_id === undefined) continue
    const call = `${entry.session_id ?? ''} ${entry.tool_use_id}`
    const row = eventRow(entry.event)
    if (row.asks && (entry.outcome === 'deny' || entry.outcome === 'halt')) decided.delete(call)
    else if (row.asks) decided.add(call)
    else if ('tool_response' in row.fields && !decided.has(call)) yield entry
  }
}

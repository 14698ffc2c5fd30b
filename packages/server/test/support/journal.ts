import { randomUUID } from 'node:crypto'
import { type EntryInput, openJournal } from '../../../hookline/src/journal/index.ts'

/** An entry as a host's call leaves it. */
export function entry(command: string, more: Partial<EntryInput> = {}): EntryInput {
  const denied = command.includes('--force')
  const decision = { ruling: 'deny', reason: 'Force pushes are off limits here.' } as const
  const rules = denied ? { rules: ['no-force'] } : {}
  return {
    time: new Date().toISOString(),
    event: 'pre_tool_use',
    dispatch: randomUUID(),
    generation: 1,
    synthetic: false,
    session_id: 's1',
    tool_name: 'shell',
    host: { name: 'claude-code' },
    project: '/srv/shop',
    outcome: denied ? 'deny' : 'no-opinion',
    ...rules,
    ...(denied && { decision }),
    duration_ms: 2,
    hooks: [
      {
        ...{ id: 'rules', stage: 0, asked: true, outcome: denied ? 'deny' : 'no-opinion', duration_ms: 1.5 },
        ...rules,
        definition: 'of-then',
        ...(denied && { opinion: { decision } }),
      },
    ],
    notes: [],
    payload: { cwd: '/srv/shop', tool_name: 'shell', tool_input: { command }, session_id: 's1' },
    ...more,
  }
}

export async function write(file: string, entries: readonly EntryInput[], options: { maxBytes?: number } = {}) {
  const journal = await openJournal({ file, record: 'all', redact: (value) => value, ...options })
  for (const each of entries) {
    await journal.append(each)
    // Rotation happens between writes.
    if (options.maxBytes !== undefined) await journal.flush()
  }
  await journal.close()
}

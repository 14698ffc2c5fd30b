import { useState } from 'preact/hooks'
import { get } from '../api.ts'
import { fail, tell } from '../state.ts'
import type { Decision } from '../types.ts'

/** Formats that a journal is handed on in: one line of JSON for each decision. */
const formats = {
  jsonl: { name: 'JSONL', line: (decision: Decision): unknown => decision },
  ocsf: { name: 'OCSF', line: asOcsf },
} as const

/** Longer ones are for `hookline log`. */
const mostExported = 100_000

/** Writes what the filter shows into a file, page by page. */
export function Export({ query }: { query: string }) {
  const [count, setCount] = useState<number>()
  const write = async (format: keyof typeof formats) => {
    const lines: string[] = []
    let before = ''
    do {
      setCount(lines.length)
      const page = await get<{ decisions: Decision[]; next: number | null }>(`/api/decisions?limit=500${before}${query === '' ? '' : `&${query}`}`)
      for (const each of page.decisions) lines.push(`${JSON.stringify(formats[format].line(each))}\n`)
      before = page.next === null ? '' : `&before=${page.next}`
    } while (before !== '' && lines.length < mostExported)
    const name = `hookline-${new Date().toISOString().slice(0, 10)}.${format === 'jsonl' ? 'jsonl' : 'ocsf.jsonl'}`
    save(name, lines)
    tell(`${lines.length.toLocaleString()} decisions are in ${name}.`)
  }
  if (count !== undefined) return <span class="dim">Exporting… {count.toLocaleString()}</span>
  return (
    <select
      aria-label="Export"
      value=""
      onChange={(event) => {
        const format = event.currentTarget.value as keyof typeof formats
        event.currentTarget.value = ''
        write(format)
          .catch(fail)
          .finally(() => setCount(undefined))
      }}
    >
      <option value="">Export…</option>
      {Object.entries(formats).map(([format, { name }]) => (
        <option key={format} value={format}>
          {name}
        </option>
      ))}
    </select>
  )
}

function save(name: string, lines: readonly string[]): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([...lines], { type: 'application/x-ndjson' }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** `action_id`, `disposition_id` and `severity_id` of a decision (OCSF 1.6, profile security_control). */
const controls: Record<Decision['mark'], readonly [action: number, disposition: number, severity: number]> = {
  blocked: [2, 2, 3],
  failed: [1, 1, 4],
  asked: [2, 2, 2],
  rewritten: [4, 1, 2],
  allowed: [1, 1, 1],
  quiet: [3, 16, 1],
}

/** API Activity (6003), Other (99): a call that an agent wanted to make, and what was decided. */
function asOcsf(decision: Decision): unknown {
  const { mark, time, host, session, subject, reason, remark, event, tool, project, id, duration_ms: duration } = decision
  const [action, disposition, severity] = controls[mark]
  return {
    ...{ category_uid: 6, class_uid: 6003, activity_id: 99, type_uid: 600_399, activity_name: event, time: Date.parse(time) },
    ...{ action_id: action, disposition_id: disposition, severity_id: severity },
    ...{ message: subject, ...(duration !== null && { duration: Math.round(duration) }) },
    ...((reason ?? remark) !== '' && { status_detail: reason ?? remark }),
    actor: { app_name: host, ...(session !== null && { session: { uid: session } }) },
    api: { operation: tool ?? event, request: { uid: String(id) } },
    src_endpoint: { hostname: location.hostname },
    ...(project !== null && { unmapped: { project } }),
    metadata: { version: '1.6.0', uid: String(id), product: { name: 'Hookline', vendor_name: 'Hookline' }, profiles: ['security_control'] },
  }
}

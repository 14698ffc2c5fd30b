/** Formats that a journal is handed on in: one line of JSON for each decision. */
const formats = { jsonl: 'JSONL', ocsf: 'OCSF, for a SIEM' } as const

/** What the filter shows, as a file; the server writes it as fast as it is taken. */
export function Export({ query }: { query: string }) {
  const save = (format: string) => {
    const link = document.createElement('a')
    link.href = `/api/journal/export?format=${format}${query === '' ? '' : `&${query}`}`
    link.download = ''
    link.click()
  }
  return (
    <select
      aria-label="Export"
      value=""
      onChange={(event) => {
        save(event.currentTarget.value)
        event.currentTarget.value = ''
      }}
    >
      <option value="">Export…</option>
      {Object.entries(formats).map(([format, name]) => (
        <option key={format} value={format}>
          {name}
        </option>
      ))}
    </select>
  )
}

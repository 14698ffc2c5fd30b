import { isRecord, parseJson, type Ruling, rulings } from '../../core/index.ts'

export type Judgement = { ok: true; ruling: Ruling; reason: string } | { ok: false; detail: string }

/**
 * What a judge said. Models wrap JSON in fences and prose, so it is looked for from the first `{` to the last `}`; two
 * objects are therefore none, and a judge that was talked into quoting an `allow` beside its answer is not understood.
 */
export function readJudgement(text: string): Judgement {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start === -1 || end < start) return { ok: false, detail: `the judge gave no JSON, but: ${excerpt(text)}` }
  const parsed = parseJson(text.slice(start, end + 1))
  if (!parsed.ok)
    return { ok: false, detail: `the judge gave JSON that cannot be read (${parsed.detail}): ${excerpt(text)}` }
  if (!isRecord(parsed.value)) return { ok: false, detail: `the judge gave no object, but: ${excerpt(text)}` }
  const { decision, reason } = parsed.value
  const ruling =
    typeof decision === 'string' ? rulings.find((known) => known === decision.trim().toLowerCase()) : undefined
  if (!ruling)
    return { ok: false, detail: `the judge's \`decision\` is none of ${rulings.join(', ')}: ${excerpt(text)}` }
  return {
    ok: true,
    ruling,
    reason: typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : 'no reason provided',
  }
}

export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return JSON.stringify(line.length > 120 ? `${line.slice(0, 120)}…` : line)
}

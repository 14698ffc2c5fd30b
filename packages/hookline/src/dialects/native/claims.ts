import { isRecord, type Note, note, type Source, settingLayers } from '../../core/index.ts'

/** Words by which a config could claim to be trusted. Only a person approves, and no file is one. */
const claims = new Set(['trusted', 'approved', 'approvals', 'trusted_hash', 'trusted_paths', 'trusted_directories'])

/** What only the user and the administrator decide: who may approve, what is recorded, whom models are asked at. */
const settings = new Set(['trust', 'journal', 'endpoints'])

/** The document without what a file of its layer cannot say. Ignored, and said so: refusing it would hide the hooks. */
export function withoutClaims(
  document: Record<string, unknown>,
  source: Source,
  notes: Note[],
): Record<string, unknown> {
  const isSetting = (key: string) => settings.has(key) && !settingLayers.has(source.layer)
  const kept = Object.entries(document).filter(([key]) => {
    const where = source.locate([key])
    if (isSetting(key)) notes.push(note('setting-ignored', { key, layer: source.layer, home }, { where }))
    if (claims.has(key)) notes.push(note('approval-ignored', { key }, { where }))
    return !isSetting(key) && !claims.has(key)
  })
  const { hooks } = document
  if (!Array.isArray(hooks)) return Object.fromEntries(kept)
  return { ...Object.fromEntries(kept), hooks: hooks.map((entry, index) => withoutOwn(entry, index, source, notes)) }
}

const home = '`~/.config/hookline/hooks.yaml`'

function withoutOwn(entry: unknown, index: number, source: Source, notes: Note[]): unknown {
  if (!isRecord(entry) || !Object.keys(entry).some((key) => claims.has(key))) return entry
  const kept = Object.entries(entry).filter(([key]) => {
    if (!claims.has(key)) return true
    notes.push(note('approval-ignored', { key }, { where: source.locate(['hooks', index, key]) }))
    return false
  })
  return Object.fromEntries(kept)
}

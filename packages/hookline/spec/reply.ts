import { readJson } from './json.ts'

export interface Reply {
  exit: number
  stdout: string
  stderr: string
}
export interface Effects {
  decision?: { ruling: string; reason: string }
  halt?: { reason: string }
  context?: string[]
  rewrite?: { mode: 'merge' | 'replace'; value: unknown }
  message?: string[]
  metadata?: Record<string, string>
}

/** The effects of the reply of a native hook named `hook`, or that the hook failed. */
export function effectsOf(hook: string, reply: Reply): Effects | 'failure' {
  if (![0, 2, 49].includes(reply.exit)) return 'failure'
  const { effects, reason } = envelope(hook, reply.stdout)
  if (reply.exit === 0) return effects
  const kept = effects === 'failure' ? {} : effects
  const why = reason || clean(reply.stderr).trim()
  if (reply.exit === 2) return { ...kept, decision: { ruling: 'deny', reason: why || `blocked by hook "${hook}"` } }
  return { ...kept, halt: { reason: why || `halted by hook "${hook}"` } }
}

function envelope(hook: string, stdout: string): { effects: Effects | 'failure'; reason: string } {
  if (stdout.trim() === '') return { effects: {}, reason: '' }
  try {
    return readEnvelope(hook, readJson(stdout))
  } catch {
    return { effects: 'failure', reason: '' }
  }
}

const keys = 'version decision reason halt context rewrite updated_input replace message system_message metadata'.split(
  ' ',
)
const fold = (key: string) => key.toLowerCase().replace(/[^a-z0-9]/g, '')

function readEnvelope(hook: string, json: unknown): { effects: Effects; reason: string } {
  if (!isObject(json)) throw new Error('not an object')
  const ruling = json['decision'] === 'block' ? 'deny' : json['decision']
  if (ruling !== undefined && !['allow', 'ask', 'deny'].includes(ruling as string)) throw new Error('no such ruling')
  for (const key of Object.keys(json)) {
    if (keys.includes(key)) continue
    if (keys.some((known) => fold(known) === fold(key))) throw new Error('misspelled')
    if (ruling === 'allow') throw new Error('a grant must be understood')
  }
  if ('version' in json && json['version'] !== 1 && ruling === 'allow') throw new Error('a grant must be understood')

  const reason = 'reason' in json ? text(json['reason']) : ''
  const rewrites = ['rewrite', 'updated_input', 'replace'].filter((key) => key in json)
  if (rewrites.length > 1) throw new Error('two rewrites')
  const effects: Effects = {}
  if (ruling !== undefined)
    effects.decision = {
      ruling: ruling as string,
      reason: reason || (ruling === 'deny' ? `blocked by hook "${hook}"` : ''),
    }
  if ('halt' in json && json['halt'] !== false) {
    const why = json['halt'] === true ? reason : text(json['halt'])
    if (json['halt'] === true || why) effects.halt = { reason: why || `halted by hook "${hook}"` }
  }
  const context = texts(json, 'context')
  if (context.length > 0) effects.context = context
  const message = [...texts(json, 'message'), ...texts(json, 'system_message')]
  if (message.length > 0) effects.message = message
  if ('metadata' in json) {
    if (!isObject(json['metadata'])) throw new Error('not an object')
    const metadata = Object.fromEntries(
      Object.entries(json['metadata']).map(([key, value]) => [clean(key), text(value)]),
    )
    if (Object.keys(metadata).length > 0) effects.metadata = metadata
  }
  if (rewrites[0] === 'replace') effects.rewrite = { mode: 'replace', value: json['replace'] }
  else if (rewrites[0]) {
    const value = json[rewrites[0]]
    if (!isObject(value) || 'tool_name' in value) throw new Error('not a patch of the input')
    effects.rewrite = { mode: 'merge', value }
  }
  return { effects, reason }
}

function texts(json: Record<string, unknown>, key: string): string[] {
  return (key in json ? [json[key]].flat() : []).map(text).filter((each) => each !== '')
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error('not a string')
  const cleaned = clean(value)
  return cleaned.trim() === '' ? '' : cleaned
}

/** Specified on plain text only: the cases have no control characters. */
const clean = (value: string) => value

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

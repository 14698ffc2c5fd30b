import { isRecord } from '../core/index.ts'
import type { EntryInput } from './entry.ts'

type RedactValue = <T>(value: T) => { value: T; found: number }

/** Fields that the engine fills in itself; nothing from outside gets into them. */
const ownFields: ReadonlySet<string> = new Set<keyof EntryInput>(['time', 'event', 'dispatch', 'outcome'])

/** Names that nearly every entry has, and that neither are nor announce a secret: only what stands under them is looked at. */
export const plainNames: ReadonlySet<string> = new Set(
  `session_id turn_id agent_name tool_name tool_use_id generation synthetic decision ruling reason halt rewrite mode value
  metadata context messages duration_ms hooks id stage asked skipped opinion failure kind detail times exit bytes stdin stdout
  stderr shadow background unchecked definition notes code hook payload ts cwd project_dir permission_mode transcript_path
  tool_input command file_path`.split(/\s+/),
)

/**
 * The secrets guard, for entries. Most of an entry has been in others before: the session, the directory, the tool, the
 * names of fields and hooks. What was found clean once is remembered, and only what is new is looked at; when anything
 * is not clean, the guard redacts the whole. The guard reads each field by itself, under its name, so looking field
 * by field finds what looking at the whole finds. Nothing that is a secret is remembered.
 */
export function makeRedact(redactValue: RedactValue): (entry: EntryInput) => EntryInput {
  const clean = makeMemory()
  return (entry) => (isClean(entry, 0) ? entry : redactValue(entry).value)

  function isClean(record: object, depth: number): boolean {
    if (depth > maxDepth) return false
    for (const [name, value] of Object.entries(record)) {
      if (depth === 0 && ownFields.has(name)) continue
      if (!isCleanField(name, value, depth)) return false
    }
    return true
  }

  function isCleanField(name: string, value: unknown, depth: number): boolean {
    if (isPlain(value)) return isCleanLeaf(name, '') && isClean(value, depth + 1)
    if (Array.isArray(value) && depth < maxDepth && !value.some(isNumber)) {
      return isCleanLeaf(name, '') && value.every((item) => isCleanField(name, item, depth + 1))
    }
    return typeof value === 'object' && value !== null ? look(name, value) : isCleanLeaf(name, value)
  }

  /** Numbers and flags hold no secrets; their names might. */
  function isCleanLeaf(name: string, value: unknown): boolean {
    const text = typeof value === 'string' ? value : ''
    if ((text === '' && plainNames.has(name)) || clean.has(name, text)) return true
    if (!look(name, text)) return false
    if (name.length + text.length <= longestRemembered) clean.add(name, text)
    return true
  }

  function look(name: string, value: unknown): boolean {
    return redactValue(plainNames.has(name) ? value : { [name]: value }).found === 0
  }
}

/** Numbers in a row may be the bytes of a key, which the guard tells by all of them. */
const isNumber = (value: unknown) => typeof value === 'number'

const maxDepth = 32
const longestRemembered = 256
const maxRemembered = 4096

/** Texts by name. Two generations, so that what is met again and again outlives what is met once. */
function makeMemory() {
  let young = new Map<string, Set<string>>()
  let old = new Map<string, Set<string>>()
  let size = 0
  return { has, add }

  function has(name: string, text: string): boolean {
    if (young.get(name)?.has(text)) return true
    if (!old.get(name)?.has(text)) return false
    add(name, text)
    return true
  }

  function add(name: string, text: string): void {
    if (++size > maxRemembered) {
      old = young
      young = new Map()
      size = 1
    }
    const texts = young.get(name)
    if (texts) texts.add(text)
    else young.set(name, new Set([text]))
  }
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

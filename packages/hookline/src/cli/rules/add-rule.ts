import { existsSync, readFileSync } from 'node:fs'
import { parseConfig } from '../../config/index.ts'
import {
  type Hook,
  HooklineError,
  isRecord,
  type NamedRule,
  note,
  type RuleEntry,
  type RuleTarget,
  sameJson,
} from '../../core/index.ts'
import { withFileLock } from '../../platform/index.ts'
import { lockOf } from '../edit/lock.ts'
import { approveNow, editorFor, hooksOf, unapproved, writeWhole } from '../edit/save.ts'
import type { Target } from '../edit/target.ts'

export interface Added {
  file: string
  rule: RuleEntry
  /** False: the file holds rules that nobody has approved, and adding one approves none of them. */
  approved: boolean
  /** The file has this rule already; nothing was written. */
  already: boolean
}

/**
 * Adds the rule to the file. A rule that can never match, or that breaks the file, is refused, and nothing is written.
 * Being written through us approves a rule; rules that were waiting for approval before go on waiting.
 */
export async function addRule(target: Target, rule: RuleEntry, cwd: string): Promise<Added> {
  const { file } = target
  return withFileLock(lockOf(file), async () => {
    const exists = existsSync(file)
    const before = exists ? readFileSync(file, 'utf8') : 'version: 1\n'
    const rules = await rulesIn(before, file)
    if (rules.some((known) => sameRule(known, rule))) return { file, rule, approved: true, already: true }
    const named = { ...rule, id: freeId(rule.id ?? 'rule', rules) }
    const after = editorFor(file).append(before, 'rules', named)
    await hooksOf(target, after)
    const approved = await write(target, { before: exists ? before : undefined, after }, cwd)
    return { file, rule: named, approved, already: false }
  })
}

/**
 * Excepts what this rule is about from a rule that denies it: nothing else overrides a deny. Gives back the changed text's
 * file; the same approval holds as for a rule that is added.
 */
export async function addException(file: Target, deniedBy: string, target: RuleTarget, cwd: string): Promise<boolean> {
  return withFileLock(lockOf(file.file), async () => {
    const before = readFileSync(file.file, 'utf8')
    const rules = await rulesIn(before, file.file)
    const index = rules.findIndex(({ id }) => id === deniedBy)
    if (index === -1) return false
    const except = mergeTargets(rules[index]!.except ?? {}, target)
    const after = editorFor(file.file).set(before, ['rules', index, 'except'], except)
    await hooksOf(file, after)
    await write(file, { before, after }, cwd)
    return true
  })
}

/**
 * The same for a rule that comes with a bundle: the file mutes it, and has a copy of it with the exception. Whatever the
 * bundle says of it later, the person now decides.
 */
export async function takeOver(file: Target, bundled: NamedRule, target: RuleTarget, cwd: string): Promise<boolean> {
  return withFileLock(lockOf(file.file), async () => {
    const before = readFileSync(file.file, 'utf8')
    const own = {
      ...bundled,
      id: freeId(bundled.id.replaceAll(':', '-'), await rulesIn(before, file.file)),
      except: mergeTargets(bundled.except ?? {}, target),
    }
    const editor = editorFor(file.file)
    const after = editor.append(editor.append(before, 'disabled', bundled.id), 'rules', own)
    await hooksOf(file, after)
    // Rules of bundles of ours wait for nobody.
    await write(file, { before, after }, cwd, (hook) => holdsRules(hook) && hook.origin.ours === undefined)
    return true
  })
}

function mergeTargets(one: RuleTarget, other: RuleTarget): RuleTarget {
  const kinds = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof RuleTarget>
  return Object.fromEntries(
    [...kinds].map((kind) => {
      const values = [one[kind] ?? [], other[kind] ?? []].flat()
      return [kind, values.length === 1 ? values[0] : [...new Set(values)]]
    }),
  )
}

/** What in the file waits for approval: while something does, a rule that is added waits with it. */
export const waitingRules = async (target: Target, cwd: string) =>
  existsSync(target.file) ? unapproved(target, cwd, holdsRules) : []

/** Throws what addRule() would throw, and writes nothing. */
export async function checkRule(target: Target, rule: RuleEntry): Promise<void> {
  const before = target.exists ? readFileSync(target.file, 'utf8') : 'version: 1\n'
  const rules = await rulesIn(before, target.file)
  const named = { ...rule, id: freeId(rule.id ?? 'rule', rules) }
  await hooksOf(target, editorFor(target.file).append(before, 'rules', named))
}

/** A rule of a file: added, put in the place of the one with this id, or taken away. */
export type RuleChange = { add: RuleEntry } | { replace: string; by: RuleEntry } | { remove: string }

export interface RuleDraft {
  /** The rule as it would be called; absent: it is taken away. */
  rule?: RuleEntry
  /** The whole file, before and after. Nothing else in it changes. */
  before: string
  after: string
}

/** What the file would be. Throws where that could not be read, or where a rule in it could never match. */
export async function draftRule(target: Target, change: RuleChange): Promise<RuleDraft> {
  const { file } = target
  const before = existsSync(file) ? readFileSync(file, 'utf8') : 'version: 1\n'
  const rules = await rulesIn(before, file)
  const editor = editorFor(file)
  const place = (id: string) => {
    const index = rules.findIndex((rule) => rule.id === id)
    if (index === -1) throw new HooklineError(note('rule-elsewhere', { id, file }))
    return index
  }
  const draft = (): RuleDraft => {
    if ('add' in change) {
      const rule = { ...change.add, id: freeId(change.add.id ?? 'rule', rules) }
      return { rule, before, after: editor.append(before, 'rules', rule) }
    }
    if ('remove' in change) return { before, after: editor.remove(before, ['rules', place(change.remove)]) }
    const rule = { ...change.by, id: change.by.id ?? change.replace }
    return { rule, before, after: editor.replaceRule(before, place(change.replace), rule) }
  }
  const made = draft()
  await hooksOf(target, made.after)
  return made
}

/** Writes it. What was approved stays approved, and a rule that is written through us is; what waited before goes on waiting. */
export async function changeRule(target: Target, change: RuleChange, cwd: string): Promise<RuleDraft> {
  return withFileLock(lockOf(target.file), async () => {
    const exists = existsSync(target.file)
    const draft = await draftRule(target, change)
    await write(target, { before: exists ? draft.before : undefined, after: draft.after }, cwd)
    return draft
  })
}

/**
 * Writes the file and approves what was written, unless rules of before were waiting for approval; whether it did. Both are
 * judged by the texts at hand: whoever writes to the file meanwhile has nothing approved by that.
 */
async function write(
  target: Target,
  { before, after }: { before: string | undefined; after: string },
  cwd: string,
  mayWait: (hook: Hook) => boolean = holdsRules,
): Promise<boolean> {
  const waiting = before === undefined ? [] : await unapproved(target, cwd, mayWait, before)
  await writeWhole(target.file, after)
  if (waiting.length > 0) return false
  await approveNow(await unapproved(target, cwd, holdsRules, after))
  return true
}

const holdsRules = (hook: Hook): boolean => hook.run.type === 'rules'

async function rulesIn(text: string, file: string): Promise<RuleEntry[]> {
  const parsed = await parseConfig(text, file)
  if (!parsed.ok) throw new HooklineError(note('edit-refused', { file }), [parsed.problem])
  const rules = isRecord(parsed.document) ? parsed.document['rules'] : undefined
  return Array.isArray(rules) ? rules.filter(isRecord) : []
}

/** The same decision about the same thing, whatever it is called and why. */
function sameRule(one: RuleEntry, other: RuleEntry): boolean {
  const counts = ({ id: _id, because: _because, instead: _instead, ...rest }: RuleEntry) => rest
  return sameJson(counts(one), counts(other))
}

function freeId(wanted: string, rules: readonly RuleEntry[]): string {
  const taken = new Set(rules.map(({ id }) => id))
  let id = wanted
  for (let number = 2; taken.has(id); number++) id = `${wanted}-${number}`
  return id
}

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
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
import { realPath, stateDirectory, withFileLock } from '../../platform/index.ts'
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
    const waiting = await waitingRules(target, cwd)
    const after = editorFor(file).append(before, 'rules', named)
    await hooksOf(target, after)
    await writeWhole(file, after)
    if (waiting.length > 0) return { file, rule: named, approved: false, already: false }
    await approveNow(await unapproved(target, cwd, holdsRules))
    return { file, rule: named, approved: true, already: false }
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
    const waiting = await unapproved(file, cwd, holdsRules)
    const except = mergeTargets(rules[index]!.except ?? {}, target)
    const after = editorFor(file.file).set(before, ['rules', index, 'except'], except)
    await hooksOf(file, after)
    await writeWhole(file.file, after)
    if (waiting.length === 0) await approveNow(await unapproved(file, cwd, holdsRules))
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
    // Rules of bundles of ours wait for nobody.
    const waiting = await unapproved(file, cwd, (hook) => holdsRules(hook) && hook.origin.ours !== true)
    const own = {
      ...bundled,
      id: freeId(bundled.id.replaceAll(':', '-'), await rulesIn(before, file.file)),
      except: mergeTargets(bundled.except ?? {}, target),
    }
    const editor = editorFor(file.file)
    const after = editor.append(editor.append(before, 'disabled', bundled.id), 'rules', own)
    await hooksOf(file, after)
    await writeWhole(file.file, after)
    if (waiting.length === 0) await approveNow(await unapproved(file, cwd, holdsRules))
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

/** Two people, or two agents, who add a rule at once both succeed. The lock lies outside the project. */
const lockOf = (file: string): string => join(stateDirectory(), `edit-${basename(file)}-${nameOf(realPath(file))}.lock`)

const nameOf = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 16)

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

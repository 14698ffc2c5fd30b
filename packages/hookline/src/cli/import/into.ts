import { HooklineError, type RuleEntry, sameJson } from '../../core/index.ts'
import type { Ground } from '../../hosts/index.ts'
import { editorFor, hooksOf } from '../edit/save.ts'
import type { Target } from '../edit/target.ts'
import { oneLine } from '../text/entries.ts'
import { permissionLists } from './lists.ts'

/** A config with what was imported, and what was not. */
export interface Import {
  text: string
  rules: readonly RuleEntry[]
  /** Allowed elsewhere: only a person may allow it here. */
  allowed: readonly RuleEntry[]
  lost: readonly { host: string; said: string; why: string }[]
}

/**
 * Adds the permission lists of agents to the text of a config. What denies and asks goes in; what allows only with a
 * person's word (`allows`), and else as a comment. A rule that this config does not take is lost, and says so.
 */
export async function importInto(target: Target, given: string, ground: Ground, allows: boolean): Promise<Import> {
  let text = given
  const takesComments = !/\.jsonc?$/.test(target.file)
  const rules: RuleEntry[] = []
  const allowed: RuleEntry[] = []
  const lost: { host: string; said: string; why: string }[] = []
  for (const { host, entries } of permissionLists(ground))
    for (const entry of entries) {
      if ('lost' in entry) {
        lost.push({ host, said: entry.said, why: entry.lost })
        continue
      }
      if ([...rules, ...allowed].some((known) => sameJson(known, entry.rule))) continue
      if ('allow' in entry.rule && !allows) {
        if (takesComments) allowed.push(entry.rule)
        else lost.push({ host, said: entry.said, why: 'only a person allows it: hookline allow "…"' })
        continue
      }
      const named = { ...entry.rule, id: `${host}-${rules.length + 1}` }
      const next = editorFor(target.file).append(text, 'rules', named, `From ${host}: ${oneLine(entry.said)}`)
      try {
        await hooksOf(target, next)
        text = next
        rules.push(entry.rule)
      } catch (error) {
        if (!(error instanceof HooklineError)) throw error
        lost.push({ host, said: entry.said, why: error.notes[1]?.message ?? error.message })
      }
    }
  return { text: withComment(text, allowed), rules, allowed, lost }
}

/** What a person may let in later, at the end of the file. */
function withComment(text: string, allowed: readonly RuleEntry[]): string {
  if (allowed.length === 0) return text
  const lines = allowed.map((rule) => `#  - ${JSON.stringify(rule)}`)
  return `${text.replace(/\n*$/, '\n')}\n# Agents allow these already. Move what you want to \`rules\`, then run \`hookline approve\`:\n${lines.join('\n')}\n`
}

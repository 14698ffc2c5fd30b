import { stringify } from 'yaml'
import type { RuleEntry } from '../../core/index.ts'

/** A rule as it is written in a config, on one line: `allow: { run: npm publish --dry-run }`. */
export function ruleLine({ id: _id, ...rule }: RuleEntry): string {
  return stringify(rule, { collectionStyle: 'flow', lineWidth: 0 })
    .trim()
    .replace(/^\{ (.*) \}$/s, '$1')
}

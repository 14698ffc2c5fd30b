import * as z from 'zod/mini'
import { rulings } from './effects.ts'
import { modes } from './hook.ts'
import type { RuleEntry, RuleTarget } from './rule.ts'
import { actionKinds } from './tools.ts'
import { described } from './validate.ts'

/** The shape of a rule: config files, bundles and rules in code are read by it, and docs/config.md is made of it. */
const text = (description: string) => described(z.string().check(z.minLength(1)), description)
const oneOrMore = (description: string) => {
  const pattern = z.string().check(z.minLength(1, { error: 'is empty, and would match nothing' }))
  return described(z.union([pattern, z.array(pattern).check(z.minLength(1))]), description)
}

const targetDocs = {
  run: 'Commands, such as `git push --force`: words are matched whole, flags in any order, `*` stands for anything.',
  read: 'Files that are read: patterns as in `.gitignore`, from the directory of this file; `~/` and `/` begin elsewhere.',
  write: 'Files that are created or changed.',
  delete: 'Files that are removed.',
  fetch: 'Hosts that are reached, such as `*.internal.example.com`, `10.0.0.0/8` or `http://*`.',
  send: 'Who gets a message.',
  spawn: 'Agents that get a task.',
  call: 'Tools of MCP servers, such as `github/*`.',
  tool: 'Tools by name, in the spelling of any system; with other keys beside it, both must match.',
  prompt: 'Prompts of the user that have this text in them; a regex (RE2) as `/…/` or `/…/i`.',
} as const satisfies Record<Exclude<keyof RuleTarget, 'where'>, string>

/** What a rule can be about, in the order in which people read it. */
export const targetKinds = [...actionKinds, 'tool', 'prompt'] as const

const number = z.number()
const argumentTest = z.union(
  [
    z.string(),
    number,
    z.boolean(),
    z.strictObject({
      equals: z.optional(described(z.unknown(), 'It is exactly this.')),
      not: z.optional(described(z.unknown(), 'It is anything but this.')),
      in: z.optional(described(z.array(z.unknown()), 'It is one of these.')),
      matches: z.optional(text('A regex (RE2) is found in it.')),
      gt: z.optional(described(number, 'It is greater.')),
      gte: z.optional(described(number, 'It is greater, or the same.')),
      lt: z.optional(described(number, 'It is less.')),
      lte: z.optional(described(number, 'It is less, or the same.')),
      contains: z.optional(text('This text, or this item of a list, is in it.')),
      exists: z.optional(described(z.boolean(), 'It is there; `false`: it is not.')),
    }),
  ],
  { error: 'must be a value, or tests such as `{ gt: 100 }`' },
)

const target = z
  .strictObject({
    ...(Object.fromEntries(targetKinds.map((kind) => [kind, z.optional(oneOrMore(targetDocs[kind]))])) as Record<
      keyof typeof targetDocs,
      z.ZodMiniOptional<ReturnType<typeof oneOrMore>>
    >),
    where: z.optional(
      described(
        z.record(z.string().check(z.minLength(1)), argumentTest),
        'Tests of the arguments, by name or path such as `order.amount`; all must hold. A bare value means `equals`.',
      ),
    ),
  })
  .check(z.refine((given) => Object.keys(given).length > 0, { error: 'says nothing: it would match every call' }))

const condition = z.strictObject({
  agent: z.optional(oneOrMore('The active agent.')),
  host: z.optional(oneOrMore('The system that runs the agent, such as `claude-code`; `hookline` is our own.')),
  branch: z.optional(oneOrMore('The git branch: that a push or a commit would change, else the current one.')),
  remote: z.optional(oneOrMore('The address of a git remote, such as `*github.com*acme/*`.')),
  dirty: z.optional(described(z.boolean(), 'Whether the git work tree has changes that are not committed.')),
  permission_mode: z.optional(oneOrMore('The permission mode of the host.')),
  subagent: z.optional(described(z.boolean(), 'Whether a sub-agent makes the call.')),
  principal: z.optional(oneOrMore('Who the agent works for, as the program that runs it says.')),
  tenant: z.optional(oneOrMore('Whose data it works on, as the program that runs it says.')),
  time: z.optional(oneOrMore('A time of day, such as `22:00-06:00` or `mon-fri 09:00-17:00`.')),
  after: z.optional(
    described(
      z.union([z.enum(['secret', 'web']), target], {
        error: 'must be `secret`, `web` or something like `{ read: … }`',
      }),
      'Only after this happened in the session: an action, `secret` (one was read) or `web` (a page was).',
    ),
  ),
})

export const rulePattern = /^[A-Za-z0-9_.:/-]+$/

const shape = described(
  z
    .strictObject({
      id: z.optional(
        described(
          z.string().check(z.regex(rulePattern, { error: 'must be letters, digits, `_`, `-`, `.`, `:` and `/`' })),
          'A name, for reports. Left out: one is made of the decision and the place in the list.',
        ),
      ),
      deny: z.optional(described(target, 'Blocks what matches.')),
      ask: z.optional(described(target, 'Asks the user about what matches.')),
      allow: z.optional(described(target, 'Allows calls of which every part matches: nobody is asked.')),
      except: z.optional(described(target, 'What this rule leaves alone.')),
      when: z.optional(described(condition, 'Only then; all must hold.')),
      because: z.optional(text('Why, for the model and the user.')),
      instead: z.optional(text('What to do instead.')),
      until: z.optional(text('A date, such as `2027-01-31`: from the day after, the rule does not count.')),
      mode: z.optional(described(z.enum(modes), '`shadow` only reports what the rule would have done.')),
      unknown: z.optional(
        described(
          z.enum(['ask', 'deny', 'pass']),
          'What `deny` and `ask` do where a part is only known when it runs, and the rest matches. Default `ask`.',
        ),
      ),
    })
    .check(
      z.refine((rule) => rulings.filter((ruling) => rule[ruling] !== undefined).length === 1, {
        error: 'must have exactly one of `deny`, `ask` and `allow`',
      }),
    ),
  'One rule: a decision, and the action it is about.',
)
/** An absent key is absent: what the library of schemas reads never holds `undefined`. */
export const ruleSchema = shape as unknown as z.ZodMiniType<RuleEntry>

/** The decision of an entry that fits the schema, and what it is about. */
export function rulingOf(entry: RuleEntry): { ruling: (typeof rulings)[number]; target: RuleTarget } {
  const ruling = rulings.find((each) => entry[each] !== undefined) ?? 'deny'
  return { ruling, target: entry[ruling] ?? {} }
}

/** A rule in what a hook runs: every rule there has a name. */
export interface NamedRule extends RuleEntry {
  id: string
}

/** What a rules hook runs. `approved: false`: it is what holds of the rules of a project that nobody has approved. */
export interface RulesSpec {
  rules: readonly NamedRule[]
  approved?: false | undefined
}

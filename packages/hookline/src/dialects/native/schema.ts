import * as z from 'zod/mini'
import type {
  ActionKind,
  FailurePolicy,
  JournalSettings,
  Meaning,
  Mode,
  Note,
  PlainArgument,
  Profile,
  QuestionSettings,
  RuleEntry,
  Source,
  TrustSettings,
} from '../../core/index.ts'
import {
  actionKinds,
  described,
  failurePolicies,
  isRecord,
  meanings,
  modes,
  note,
  plainArguments,
  profiles,
  ruleSchema,
  settingLayers,
} from '../../core/index.ts'
import { durationPattern } from './names.ts'

/**
 * The shape of the native config. Loading, the JSON Schema for editors and docs/config.md all come from here; what a
 * shape cannot say (an event that has no tool, a pattern that can never match) is checked where the hook is decoded.
 */
const text = (description: string) => described(z.string().check(z.minLength(1)), description)

export const idPattern = /^[A-Za-z0-9_.:/-]+$/

const durationError = 'must be seconds, such as 30, or a number with a unit, such as `500ms`, `30s` or `2m`'
const duration = described(
  z.union(
    [
      z.number({ error: durationError }).check(z.positive({ error: durationError })),
      z.string({ error: durationError }).check(z.regex(durationPattern, { error: durationError })),
    ],
    { error: durationError },
  ),
  'How long the hook may take, everything included: seconds, or `500ms`, `30s`, `2m`. 30 seconds when left out.',
)

const argumentTest = described(
  z.strictObject({
    path: described(
      z
        .string({ error: 'is missing: without a path, a pattern has nothing to look at' })
        .check(z.minLength(1, { error: 'is empty: without a path, a pattern has nothing to look at' })),
      'Where to look in the arguments, such as `$.command`, `headers.Authorization`, `edits[*].path` or `items[0]`. ' +
        'Alone: there must be something there.',
    ),
    matches: z.optional(text('A regex (RE2) that must be found in the value.')),
    not_matches: z.optional(text('A regex (RE2) that must not be found in any value at the path.')),
  }),
  'One test of the arguments.',
)

export const matcherSchema = described(
  z.strictObject({
    tool: z.optional(text('The tool: a name, several as `a|b`, `*` for any, or a regex (RE2) of the whole name.')),
    tool_glob: z.optional(text('The tool: a name, several as `a|b`, each with a trailing `*` if need be.')),
    args: z.optional(
      described(
        z.union([argumentTest, z.array(argumentTest).check(z.minLength(1))]),
        'Tests of the arguments of the tool, one or a list; all must pass.',
      ),
    ),
    agent: z.optional(text('The active agent, written like `tool`.')),
    source: z.optional(text('What brought the event about, such as `resume` or `manual`, written like `tool`.')),
  }),
  'When the hook runs: all tests must pass. Left out: always.',
)

const run = described(
  z.union([
    described(
      z.string().check(z.regex(/\S/, { error: 'is empty: there is nothing to run' })),
      'A shell command; short for `{ type: command, command: … }`.',
    ),
    z.looseObject({ type: text('Which executor runs it, such as `command`, `http` or `builtin`.') }),
  ]),
  'What to run: the type of executor and its options, or just a shell command.',
)

export const hookSchema = described(
  z.strictObject({
    id: z.optional(
      described(
        z.string().check(z.regex(idPattern, { error: 'must be letters, digits, `_`, `-`, `.`, `:` and `/`' })),
        'A name of its own, for reports and approvals. Left out: one is made from the event and the place in the list.',
      ),
    ),
    event: text('The event on which the hook runs; docs/events.md lists them all.'),
    matcher: z.optional(matcherSchema),
    run,
    timeout: z.optional(duration),
    on_failure: z.optional(
      described(
        z.enum(failurePolicies),
        'What a failing hook amounts to: `closed` is a deny, `open` is nothing, `warn` is nothing but a message to the ' +
          'user. Left out: the event decides (guards fail closed, watchers open).',
      ),
    ),
    mode: z.optional(
      described(z.enum(modes), '`shadow` runs the hook and only reports what it would have done. Default `enforce`.'),
    ),
    background: z.optional(
      described(
        z.boolean(),
        'Never delays the event: the answer is ignored, only a failure is reported. Default `false`.',
      ),
    ),
    stage: z.optional(
      described(
        z.int(),
        'Hooks of one stage run together; a later stage sees the rewrites of the one before. Default 0.',
      ),
    ),
    enabled: z.optional(
      described(z.boolean(), '`false` keeps the hook in the file and does not ask it. Default `true`.'),
    ),
    env: z.optional(
      described(
        z.record(
          z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'is not a name of a variable' })),
          described(
            z.string().check(z.regex(/^[^\0]*$/, { error: 'must not hold a NUL character' })),
            'Text; a number stands in quotes.',
          ),
        ),
        'Environment variables for the hook; values are strings.',
      ),
    ),
    working_dir: z.optional(text('Where the hook runs. Left out: the working directory of the host.')),
    description: z.optional(described(z.string(), 'What the hook is for, in your words.')),
    canary: z.optional(
      described(
        z.unknown(),
        'What this guard must block, so that `hookline doctor` can prove it: a payload, the arguments of the tool, or just ' +
          'the command or the text. Or a list of these.',
      ),
    ),
  }),
  'One hook: an event, and what to run; the rest may be left out.',
)

const profile = described(
  z.enum(profiles),
  'How strict the bundles of this file are: `default`; `strict` blocks what others share; `ci`: nobody can be asked; `watch` puts everything in this file in shadow.',
)

const use = described(
  z.array(
    z.union([
      text('A bundle: one of ours by name, or a file by its path, such as `./team.bundle.yaml`.'),
      z.strictObject({
        bundle: text('A bundle: one of ours by name, or a file by its path.'),
        with: z.optional(described(z.record(z.string(), z.unknown()), 'What to choose of its parameters.')),
      }),
    ]),
  ),
  'Bundles of hooks to add, before the hooks of this file. docs/builtins.md lists ours.',
)

const disabled = described(
  z.array(z.string().check(z.minLength(1))),
  'Hooks to mute, by id or pattern, such as `security:*`: of this layer and of weaker ones, in every file.',
)

const journal = described(
  z.union([
    z.literal(false),
    z.strictObject({
      file: z.optional(text('Where entries are appended; `~/` is your home directory.')),
      durability: z.optional(
        described(
          z.enum(['none', 'batch', 'full']),
          'When an entry is on disk: soon; soon and synced; before the verdict is given.',
        ),
      ),
      on_failure: z.optional(
        described(
          z.enum(['continue', 'block']),
          'What a journal that cannot be written means: go on, loudly; or refuse.',
        ),
      ),
      record: z.optional(described(z.enum(['asked', 'all']), 'Only dispatches in which a hook ran, or all.')),
      payload: z.optional(described(z.enum(['full', 'digest', 'none']), 'How much of the payload is kept.')),
      max_bytes: z.optional(described(z.int().check(z.positive()), 'A longer file is rotated.')),
      keep: z.optional(described(z.int().check(z.nonnegative()), 'How many rotated files are kept.')),
    }),
  ]),
  'Where dispatches are recorded; `false`: nowhere. Counts only in the config of the user and of the administrator.',
)

const trust = described(
  z.strictObject({
    self_approve: z.optional(
      described(
        z.enum(['off', 'loopback']),
        '`loopback`: programs that run as you may approve hooks without a person, as Starchild lets them: `hookline approve --self`. Default `off`.',
      ),
    ),
    readonly_hint: z.optional(
      described(
        z.array(z.string()),
        'MCP servers, by name, whose word that a call only reads (`readOnlyHint`) counts: `hookline run` does not ask about such calls of theirs. Default: none.',
      ),
    ),
  }),
  'Who may approve. Counts only in the config of the user and of the administrator.',
)

const questions = described(
  z.strictObject({
    notify: z.optional(
      described(
        z.boolean(),
        'Whether the desktop shows what is asked where an agent cannot ask. The question then waits for `hookline answer`, also when `hookline watch` is not open. Default false.',
      ),
    ),
  }),
  'How you are reached when an agent cannot ask you. Counts only in the config of the user and of the administrator.',
)

const ofAgents = described(
  z.strictObject({
    snapshot: z.optional(
      described(
        z.boolean(),
        'Snapshots of the workspace around the turns of every agent of `hookline run`, for `/undo`.',
      ),
    ),
  }),
  'Settings of the agent, as docker-agent has them. Count only in the config of the user and of the administrator.',
)

const tools = described(
  z.record(
    z.string().check(z.minLength(1)),
    z.strictObject({
      doc: z.optional(text('What it does, for people.')),
      args: z.optional(
        described(
          z.record(z.string(), z.enum([...(Object.keys(meanings) as [Meaning, ...Meaning[]]), ...plainArguments])),
          `What each argument means, such as ${['command', 'reads', 'writes', 'deletes', 'url', 'recipient'].map((name) => `\`${name}\``).join(', ')}; or the kind of its value.`,
        ),
      ),
      does: z.optional(
        described(z.array(z.enum(actionKinds)), 'What every call does, whatever its arguments, such as `[send]`.'),
      ),
    }),
  ),
  'Tools of your own: what their arguments mean, so that rules about actions hold for them.',
)

/** The document as a whole, for editors. Loading takes it apart, so that one bad entry does not sink the file. */
export const configSchema = z.strictObject({
  $schema: z.optional(described(z.string(), 'The schema of this file, for editors.')),
  version: described(z.literal(1), 'The version of the config format.'),
  profile: z.optional(profile),
  use: z.optional(use),
  disabled: z.optional(disabled),
  journal: z.optional(journal),
  trust: z.optional(trust),
  questions: z.optional(questions),
  settings: z.optional(ofAgents),
  tools: z.optional(tools),
  rules: z.optional(
    described(
      z.array(ruleSchema),
      'Rules: what is blocked, asked about or allowed, whatever tool of whatever agent does it. docs/rules.md explains them.',
    ),
  ),
  hooks: z.optional(
    described(
      z.array(hookSchema),
      'The hooks, in the order in which their answers are combined. May be left out in a file that says something else, such as `use`.',
    ),
  ),
})
export const profileSchema = profile
export const useSchema = use
export const disabledSchema = disabled
export const journalSchema = journal
export const trustSchema = trust
export const questionsSchema = questions
export const settingsSchema = ofAgents
export const toolsSchema = tools

/** The same as types, written out so that no library of schemas stands in ours. A test holds that they agree. */
export interface ArgumentTest {
  path: string
  matches?: string | undefined
  not_matches?: string | undefined
}

export interface Matcher {
  tool?: string | undefined
  tool_glob?: string | undefined
  args?: ArgumentTest | ArgumentTest[] | undefined
  agent?: string | undefined
  source?: string | undefined
}

export interface HookEntry {
  id?: string | undefined
  event: string
  matcher?: Matcher | undefined
  run: string | { type: string; [option: string]: unknown }
  timeout?: number | string | undefined
  on_failure?: FailurePolicy | undefined
  mode?: Mode | undefined
  background?: boolean | undefined
  stage?: number | undefined
  enabled?: boolean | undefined
  env?: Record<string, string> | undefined
  working_dir?: string | undefined
  description?: string | undefined
  canary?: unknown
}

export interface ToolEntry {
  doc?: string | undefined
  args?: Record<string, Meaning | PlainArgument> | undefined
  does?: ActionKind[] | undefined
}

export interface HookConfig {
  $schema?: string | undefined
  version: 1
  profile?: Profile | undefined
  use?: (string | { bundle: string; with?: Record<string, unknown> | undefined })[] | undefined
  disabled?: string[] | undefined
  journal?: false | JournalSettings | undefined
  trust?: TrustSettings | undefined
  questions?: QuestionSettings | undefined
  settings?: { snapshot?: boolean | undefined } | undefined
  tools?: Record<string, ToolEntry> | undefined
  rules?: RuleEntry[] | undefined
  hooks?: HookEntry[] | undefined
}

/** Words by which a config could claim to be trusted. Only a person approves, and no file is one. */
const claims = new Set(['trusted', 'approved', 'approvals', 'trusted_hash', 'trusted_paths', 'trusted_directories'])

/** What only the user and the administrator decide: who may approve, what is recorded, how they are reached, which servers answer for models. */
const settings = new Set(['trust', 'journal', 'questions', 'endpoints', 'settings'])

/** The document without what a file of its layer cannot say. Ignored, with a note: refusing it would hide the hooks. */
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

import { described } from 'hookline/internal'
import * as z from 'zod/mini'
import { type ModelErrorKind, modelErrorKinds } from '../../core/index.ts'

/** The types are written out, so that no schema library appears in ours; `satisfies` below holds them to the schemas. */
interface Looks {
  user?: string | undefined
  last?: string | undefined
  system?: string | undefined
  anywhere?: string | undefined
  tool?: string | undefined
  result?: string | undefined
  failed?: boolean | undefined
  offered?: string | undefined
}

export interface Condition extends Looks {
  not?: Looks | undefined
  purpose?: string | undefined
}

export interface ScriptedCall {
  tool: string
  input?: Record<string, unknown> | undefined
  invalid?: string | undefined
}

interface ScriptedFailure {
  kind: ModelErrorKind
  message?: string | undefined
  retry_after_ms?: number | undefined
}

interface ScriptedUsage {
  input_tokens?: number | undefined
  output_tokens?: number | undefined
  cached_input_tokens?: number | undefined
  cached_write_tokens?: number | undefined
  reasoning_tokens?: number | undefined
}

interface ScriptedAnswer {
  think?: string | undefined
  say?: string | undefined
  call?: ScriptedCall | ScriptedCall[] | undefined
  fail?: ModelErrorKind | ScriptedFailure | undefined
  usage?: ScriptedUsage | false | undefined
  cost?: number | undefined
  latency_ms?: number | undefined
  pace_ms?: number | undefined
}

export interface Turn extends ScriptedAnswer {
  when?: Condition | undefined
  repeat?: number | true | undefined
}

export interface Part {
  turns?: Turn[] | undefined
  default?: ScriptedAnswer | undefined
}

export interface Script extends Part {
  $schema?: string | undefined
  rehearsal: 1
  name?: string | undefined
  context_limit?: number | undefined
  price?:
    | { input: number; output: number; cache_read?: number | undefined; cache_write?: number | undefined }
    | undefined
  latency_ms?: number | undefined
  pace_ms?: number | undefined
  agents?: Record<string, Part> | undefined
}

/** The shape of a rehearsal script. Reading and the JSON Schema for editors come from here. */
const pattern = (description: string) =>
  z.optional(described(z.string().check(z.minLength(1)), `A regex (RE2): ${description}`))
const text = (description: string) => z.optional(described(z.string(), description))
const count = (description: string) => z.optional(described(z.int().check(z.nonnegative()), description))
const amount = (description: string) => z.optional(described(z.number().check(z.nonnegative()), description))

const looks = {
  user: pattern('in the latest message of the user.'),
  last: pattern('in the last message, whoever wrote it.'),
  system: pattern('in the system prompt, or in context that someone added.'),
  anywhere: pattern('in anything it was sent: system prompt, context, messages, results.'),
  tool: pattern('the whole name of a tool whose result has just come in, with no message after it.'),
  result: pattern('in a result that has just come in.'),
  failed: z.optional(described(z.boolean(), 'Whether a result that has just come in is an error or a refusal.')),
  offered: pattern('the whole name of a tool that it may call.'),
}
export const conditionSchema = described(
  z.strictObject({
    ...looks,
    not: z.optional(described(z.strictObject(looks), 'Conditions of which none may hold.')),
    purpose: text('What the call is for, such as `compaction`. Left out: the conversation itself.'),
  }),
  'When the turn is played: all conditions must hold. Named groups, as in `run (?P<command>.+)`, can be used in the answer.',
)

const usage = described(
  z.strictObject({
    input_tokens: count('Fresh tokens of the request.'),
    output_tokens: count('Tokens of the answer.'),
    cached_input_tokens: count('Tokens read from a cache.'),
    cached_write_tokens: count('Tokens written to a cache.'),
    reasoning_tokens: count('Tokens of reasoning.'),
  }),
  'What the provider reports.',
)

const call = described(
  z.strictObject({
    tool: described(z.string().check(z.minLength(1)), 'The tool.'),
    input: z.optional(described(z.record(z.string(), z.unknown()), 'Its arguments.')),
    invalid: text('Arguments that cannot be read, as this text.'),
  }),
  'One tool call.',
)

const failure = described(
  z.union([
    z.enum(modelErrorKinds),
    z.strictObject({
      kind: described(z.enum(modelErrorKinds), 'What kind of error.'),
      message: text('What the provider says.'),
      retry_after_ms: count('When to try again.'),
    }),
  ]),
  'The call fails like this: at once, or after what `think` and `say` have streamed.',
)

const answer = {
  think: text('Reasoning, streamed first.'),
  say: text(
    'The text of the answer, streamed. `{{ user }}`, `{{ result }}`, `{{ agent }}` and named groups are filled in.',
  ),
  call: z.optional(described(z.union([call, z.array(call)]), 'Tool calls, one or a list.')),
  fail: z.optional(failure),
  usage: z.optional(
    described(z.union([usage, z.literal(false)]), 'What is reported; `false`: nothing. Left out: an estimate.'),
  ),
  cost: amount('The price of the answer in USD. Left out: from `price`.'),
  latency_ms: count('How long it takes before anything comes.'),
  pace_ms: count('How long between two pieces of text.'),
}

export const turnSchema = described(
  z.strictObject({
    when: z.optional(conditionSchema),
    ...answer,
    repeat: z.optional(
      described(
        z.union([z.int().check(z.positive()), z.literal(true)]),
        'How often the turn can be played in a session; `true`: always. Once when left out.',
      ),
    ),
  }),
  'One answer of the model.',
)

const part = {
  turns: z.optional(
    described(
      z.array(turnSchema),
      'At every call, the first turn that is not used up and whose conditions hold is played.',
    ),
  ),
  default: z.optional(described(z.strictObject(answer), 'The answer when no turn is left.')),
}

export const scriptSchema = described(
  z.strictObject({
    $schema: text('Where editors find the schema of this file.'),
    rehearsal: described(z.literal(1), 'The version of the format.'),
    name: text('What the model is called, after `rehearsal/`.'),
    context_limit: count('Tokens that fit into one request; more is an `overflow`. 200,000 when left out.'),
    price: z.optional(
      described(
        z.strictObject({
          input: described(z.number(), 'USD per million tokens of input.'),
          output: described(z.number(), 'USD per million tokens of output.'),
          cache_read: amount('USD per million tokens read from a cache.'),
          cache_write: amount('USD per million tokens written to a cache.'),
        }),
        'What the answers cost. Left out: they are free.',
      ),
    ),
    latency_ms: count('How long every answer takes before anything comes.'),
    pace_ms: count('How long between two pieces of text.'),
    ...part,
    agents: z.optional(
      described(
        z.record(z.string(), described(z.strictObject(part), 'The part of one agent.')),
        'Parts of agents by name; others play the `turns` above.',
      ),
    ),
  }),
  'What the rehearsal model says and does.',
) satisfies z.ZodMiniType<Script>

/** The prompt of a goal begins with an instruction; skip it. */
const start = '^(?:[^\\n]*`claim_completion`[^\\n]*:\\n\\n)?\\s*'

/** The answers without a key and a script: what the rehearsal model is, and how to try hooks with it. */
export const defaultScript: Script = {
  rehearsal: 1,
  name: 'default',
  turns: [
    {
      when: { tool: '.*', failed: true },
      say: 'I could not do that. The answer was:\n\n{{ result }}',
      repeat: true,
    },
    {
      when: { tool: '.*', offered: 'claim_completion', not: { tool: 'claim_completion' } },
      call: { tool: 'claim_completion', input: { summary: 'The result of `{{ tool }}`: {{ result }}' } },
      repeat: true,
    },
    {
      when: { tool: '.*' },
      say: 'Done. The result of `{{ tool }}`:\n\n{{ result }}',
      repeat: true,
    },
    {
      when: { user: `(?is)${start}run:?\\s+\`?(?P<command>[^\`]+)`, offered: '(?P<shell>shell|bash)' },
      say: 'I will run that.',
      call: { tool: '{{ shell }}', input: { command: '{{ command }}' } },
      repeat: true,
    },
    {
      when: { user: `(?i)${start}(?:read|show|open)\\s+\`?(?P<path>[^\\s\`]+)`, offered: 'read_file' },
      call: { tool: 'read_file', input: { path: '{{ path }}' } },
      repeat: true,
    },
    {
      when: { user: `(?is)${start}write\\s+\`?(?P<path>[^\\s\`:]+)\`?\\s*:\\s*(?P<content>.+)`, offered: 'write_file' },
      call: { tool: 'write_file', input: { path: '{{ path }}', content: '{{ content }}' } },
      repeat: true,
    },
    {
      when: { user: `(?i)${start}(?:ls|list)\\s+\`?(?P<path>[^\\s\`]+)`, offered: 'list_directory' },
      call: { tool: 'list_directory', input: { path: '{{ path }}' } },
      repeat: true,
    },
    {
      when: { user: `(?i)${start}(?:ls|list)\\s*$`, offered: 'list_directory' },
      call: { tool: 'list_directory', input: { path: '.' } },
      repeat: true,
    },
    {
      when: { user: `(?i)${start}fetch\\s+\`?(?P<url>[^\\s\`]+)`, offered: 'fetch' },
      call: { tool: 'fetch', input: { url: '{{ url }}' } },
      repeat: true,
    },
  ],
  default: {
    say: [
      'I am the rehearsal model: no network, no key, no cost. I do what you type, word for word, so that you can see ',
      'what your hooks make of it. Try:\n\n',
      '  run rm -rf build       a shell command\n',
      '  read README.md         a file\n',
      '  write notes.txt: hello\n',
      '  list src\n',
      '  fetch https://example.com\n\n',
      'For a real model, set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or name one: `--model ollama/qwen3`.',
    ].join(''),
  },
}

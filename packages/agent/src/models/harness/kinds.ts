import { isRecord } from 'hookline/internal'
import type { HarnessSpec, ModelPart, Usage } from '../../core/index.ts'

/** A coding agent of others that does the work of one of ours: how it is started without a terminal, and what it prints. */
export interface Harness {
  /** The host under which Hookline is installed in it, and whose program it is. */
  host: string
  args(spec: HarnessSpec): string[]
  /** What one line of its output adds to the answer. */
  read(line: Record<string, unknown>): Said
}

export interface Said {
  parts?: readonly ModelPart[]
  /** It gave up: why. */
  failed?: string
}

type Line = Record<string, unknown>

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const listOf = (value: unknown): Line[] => (Array.isArray(value) ? value.filter(isRecord) : [])
const recordOf = (value: unknown): Line => (isRecord(value) ? value : {})

/**
 * Claude Code 2.1, `claude -p --output-format stream-json` (code.claude.com/docs/en/headless): messages of the assistant with text, thinking
 * and tool calls, then one `result` with the usage and the cost of all of it.
 */
const claudeCode: Harness = {
  host: 'claude',
  args: ({ model, effort }) => [
    ...['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'acceptEdits'],
    ...(model === undefined ? [] : ['--model', model]),
    ...(effort === undefined ? [] : ['--effort', effort]),
  ],
  read(line) {
    if (line['type'] === 'assistant')
      return { parts: listOf(recordOf(line['message'])['content']).flatMap(claudesPart) }
    if (line['type'] !== 'result') return {}
    if (line['is_error'] === true) return { failed: textOf(line['result']) || textOf(line['subtype']) }
    const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = recordOf(
      line['usage'],
    )
    const usage = counted({
      input_tokens,
      output_tokens,
      cached_input_tokens: cache_read_input_tokens,
      cached_write_tokens: cache_creation_input_tokens,
    })
    return { parts: [finish(usage, numberOf(line['total_cost_usd']))] }
  },
}

function claudesPart(content: Line): ModelPart[] {
  if (content['type'] === 'text') return [{ type: 'text', text: `${textOf(content['text'])}\n` }]
  if (content['type'] === 'thinking') return [{ type: 'reasoning', text: `${textOf(content['thinking'])}\n` }]
  if (content['type'] === 'tool_use') return [called(textOf(content['name']), content['input'])]
  return []
}

/** Codex CLI 0.166, `codex exec --json`: items as they are completed, then the tokens of the turn. It reports no cost. */
const codex: Harness = {
  host: 'codex',
  args: ({ model }) => [
    ...['exec', '--json', '--skip-git-repo-check', '--sandbox', 'workspace-write'],
    ...(model === undefined ? [] : ['--model', model]),
    '-',
  ],
  read(line) {
    const item = recordOf(line['item'])
    if (line['type'] === 'item.completed') return { parts: codexPart(item) }
    if (line['type'] === 'turn.failed')
      return { failed: textOf(recordOf(line['error'])['message']) || 'the turn failed' }
    if (line['type'] !== 'turn.completed') return {}
    const {
      input_tokens = 0,
      cached_input_tokens = 0,
      output_tokens,
      reasoning_output_tokens,
    } = recordOf(line['usage'])
    // It counts what came from the cache among the input.
    const fresh = Number(input_tokens) - Number(cached_input_tokens)
    return {
      parts: [
        finish(
          counted({
            input_tokens: fresh,
            cached_input_tokens,
            output_tokens,
            reasoning_tokens: reasoning_output_tokens,
          }),
          undefined,
        ),
      ],
    }
  },
}

function codexPart(item: Line): ModelPart[] {
  const kind = item['type'] ?? item['item_type']
  if (kind === 'agent_message' || kind === 'assistant_message')
    return [{ type: 'text', text: `${textOf(item['text'])}\n` }]
  if (kind === 'reasoning') return [{ type: 'reasoning', text: `${textOf(item['text'])}\n` }]
  if (kind === 'command_execution') return [called('shell', { command: item['command'] })]
  return []
}

/** What it does with tools of its own is no call of ours: hooks see it where Hookline is installed in it. */
const called = (tool: string, input: unknown): ModelPart => ({
  type: 'reasoning',
  text: `→ ${tool} ${JSON.stringify(input ?? {})}\n`,
})

const counted = (given: Record<keyof Usage | string, unknown>): Usage =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'number')) as Usage

/** docker-agent: a cost of nothing is one that was not reported. */
const finish = (usage: Usage, cost: number | undefined): ModelPart => ({
  type: 'finish',
  ...(Object.keys(usage).length > 0 ? { usage } : {}),
  ...(cost ? { cost } : {}),
})

/** By docker-agent's names. */
export const harnesses: Readonly<Record<string, Harness>> = { 'claude-code': claudeCode, codex }

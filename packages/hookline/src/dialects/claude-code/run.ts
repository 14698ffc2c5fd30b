import type { EventName, Layer, Run } from '../../core/index.ts'
import { eventRow, isRecord, plainText } from '../../core/index.ts'
import { rowOf, theirName } from './names.ts'

/** Collects what is wrong with a handler while it is read, with the event and layer it belongs to. */
export interface Remarks {
  event: EventName
  layer: Layer
  wrong(key: string, detail: string, fix: string): void
  remark(key: string, detail: string, fix: string): void
  lost(key: string, what: string, fix: string): void
  /** It cannot run: a guard is then refused, and any other hook left out. */
  unsupported(type: string, detail: string, fix: string): void
}

/** What to run, by type of handler; undefined when a remark says why not. */
export const readRun: Record<string, (handler: Record<string, unknown>, remarks: Remarks) => Run | undefined> = {
  command(handler, remarks) {
    const command = text(handler, 'command', 'Write a shell command.', remarks)
    const { args, shell } = handler
    if (args !== undefined && args !== null && !isTexts(args))
      remarks.wrong('args', 'must be a list of texts', 'Write `"args": ["--fast"]`.')
    if (shell !== undefined && shell !== null && shell !== 'bash' && shell !== 'powershell')
      remarks.wrong('shell', 'must be `bash` or `powershell`', 'Write `"shell": "bash"`.')
    if (command === undefined) return undefined
    if (isTexts(args)) return execForm(command, args)
    if (shell === 'powershell')
      return { type: 'command', command: 'pwsh', args: ['-NoProfile', '-NonInteractive', '-Command', command] }
    return { type: 'command', command, shell: 'auto' }
  },
  http(handler, remarks) {
    const url = text(handler, 'url', 'Write where the payload is sent.', remarks)
    const { headers = {}, allowedEnvVars = [] } = handler
    if (!isRecord(headers) || !isTexts(Object.values(headers)))
      remarks.wrong('headers', 'must be an object of texts', 'Write `"headers": {"X-Name": "value"}`.')
    else if (!isTexts(allowedEnvVars))
      remarks.wrong('allowedEnvVars', 'must be a list of names', 'Write `"allowedEnvVars": ["TOKEN"]`.')
    else if (url !== undefined) {
      const entries = Object.entries(headers)
        .filter(([name, value]) => !isSentAnyway(name, plainText(value)))
        .map(([name, value]) => [name, variables(plainText(value), allowedEnvVars)])
      return {
        type: 'http',
        url,
        ...(entries.length > 0 ? { headers: Object.fromEntries(entries) } : {}),
        ...(allowedEnvVars.length > 0 ? { allowed_env: allowedEnvVars } : {}),
        ...(remarks.layer === 'project' || remarks.layer === 'local' ? {} : { allow_local: true }),
      }
    }
    return undefined
  },
  prompt(handler, remarks) {
    const prompt = text(handler, 'prompt', 'Write what to ask.', remarks)
    const { model } = handler
    if (model !== undefined && model !== null && typeof model !== 'string')
      remarks.wrong('model', 'must be text', 'Name a model.')
    if (handler['continueOnBlock'] === true)
      remarks.lost('continueOnBlock', '`continueOnBlock`', 'What a refusal means is the event’s to say.')
    if (prompt === undefined) return undefined
    // "The LLM returns {ok, reason}": it can object, and not approve.
    return { type: 'model', model: modelName(model), prompt: promptToOurs(prompt, remarks.event), schema: 'objection' }
  },
  // "A subagent with Read, Grep and Glob": here a judge without hands, who says so rather than guess.
  agent(handler, remarks) {
    const judge = readRun['prompt']!(handler, remarks)
    if (!judge) return undefined
    const fix = 'Put what it must know into the prompt, or use a command that asks an agent.'
    remarks.lost('type', 'That an `agent` opens files before it judges', fix)
    const unsure = eventRow(remarks.event).failure === 'closed' ? 'answer "ask"' : 'answer "allow"'
    const system = `You cannot open files, search or run anything: you have only the event. If it is not enough to tell, ${unsure}.`
    return { ...judge, system }
  },
  mcp_tool(handler, remarks) {
    const named = [handler['server'], handler['tool']].every((name) => typeof name === 'string' && name !== '')
    if (!named) remarks.wrong('type', 'needs a `server` and a `tool`', 'Write `"server": "…", "tool": "…"`.')
    else remarks.unsupported('mcp_tool', 'it needs a connection to its MCP server, which only Claude Code has', mcpFix)
    return undefined
  },
}

const mcpFix = 'Keep it with Claude Code and remove it here, or use a command that calls the tool.'

/** "A fast model" when none is named; its own short names stand for the newest of a family. */
const families: Record<string, string> = {
  haiku: 'claude-haiku-4-5',
  sonnet: 'claude-sonnet-4-5',
  opus: 'claude-opus-4-5',
}

function modelName(model: unknown): string {
  const name = typeof model === 'string' && model !== '' ? model : 'haiku'
  if (name.includes('/')) return name
  return `anthropic/${Object.hasOwn(families, name) ? families[name] : name}`
}

/** Without a shell; but only a shell can fill in `${CLAUDE_PROJECT_DIR}`, so then the words are quoted for one. */
function execForm(command: string, args: readonly string[]): Run {
  const words = [command, ...args]
  if (!words.some((word) => placeholder.test(word))) return { type: 'command', command, args }
  return { type: 'command', command: words.map(expandable).join(' '), shell: 'auto' }
}

const placeholder = /\$\{CLAUDE_\w+\}/

/** Quoted so that a shell fills in the placeholders and nothing else. */
const expandable = (word: string) =>
  `"${word.replace(/\$\{CLAUDE_\w+\}|[\\"$`]/g, (found) => (found.length > 1 ? found : `\\${found}`))}"`

/** People write out what every payload is. */
const isSentAnyway = (name: string, value: string) =>
  /^content-type$/i.test(name) && /^application\/json\b/i.test(value.trim())

/** "$VAR only if in allowedEnvVars"; any other is empty. */
function variables(value: string, allowed: readonly string[]): string {
  return value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? ''
    return allowed.includes(name) ? `\${env:${name}}` : ''
  })
}

function text(handler: Record<string, unknown>, key: string, fix: string, remarks: Remarks): string | undefined {
  const value = handler[key]
  if (typeof value === 'string' && value.trim() !== '') return value
  remarks.wrong(key, typeof value === 'string' || value === undefined ? 'is missing' : 'must be text', fix)
  return undefined
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/**
 * `$ARGUMENTS` stands for the payload as JSON; a prompt without it gets the payload at its end. Our templates insert
 * single fields, so the object is written out, field by field.
 */
export function promptToOurs(prompt: string, event: EventName): string {
  const plain = prompt.replaceAll('{{', '{ {')
  const fields = rowOf(event).fields.map(({ theirs, ours }) => `"${theirs}": {{ ${ours} | toJSON }}`)
  const payload = `{"hook_event_name": "${theirName(event)}"${fields.map((field) => `, ${field}`).join('')}}`
  return plain.includes('$ARGUMENTS') ? plain.replaceAll('$ARGUMENTS', () => payload) : `${plain}\n\n${payload}`
}

/** The inverse, for prompts that `promptToOurs` made. */
export function promptToTheirs(prompt: string, event: EventName): string | undefined {
  const payload = promptToOurs('$ARGUMENTS', event)
  const theirs = prompt.endsWith(`\n\n${payload}`)
    ? prompt.slice(0, -payload.length - 2)
    : prompt.replaceAll(payload, () => '$ARGUMENTS')
  return theirs.includes('{{') ? undefined : theirs
}

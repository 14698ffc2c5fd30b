import type { EventName, Layer, Run } from '../../core/index.ts'
import { isRecord, plainText } from '../../core/index.ts'
import { rowOf, theirName } from './names.ts'

/** Collects what is wrong with a handler while it is read, with the event and layer it belongs to. */
export interface Remarks {
  event: EventName
  layer: Layer
  wrong(key: string, detail: string, fix: string): void
  remark(key: string, detail: string, fix: string): void
  lost(key: string, what: string, fix: string): void
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
      const entries = Object.entries(headers).map(([name, value]) => [
        name,
        variables(plainText(value), allowedEnvVars),
      ])
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
  agent(_handler, remarks) {
    remarks.lost('type', 'A hook of type `agent`', 'It was left out; use `prompt`, or a command that asks an agent.')
    return undefined
  },
  mcp_tool(_handler, remarks) {
    remarks.lost('type', 'A hook of type `mcp_tool`', 'It was left out; use a command that calls the tool.')
    return undefined
  },
}

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

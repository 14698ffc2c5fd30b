import type { Message, SessionRecord } from '../core/index.ts'
import { withInputs } from './transcript.ts'

/** A session as Markdown: everything in it, in order. Pure. */
export function exportMarkdown(records: readonly SessionRecord[]): string {
  return `${withInputs(records)
    .map((record) => parts[record.type]?.(record as never) ?? '')
    .filter((part) => part !== '')
    .join('\n\n')}\n`
}

type Parts = { [T in SessionRecord['type']]: (record: Extract<SessionRecord, { type: T }>) => string }

const parts: Parts = {
  session: ({ id, title, started, cwd, agent, team, parent }) =>
    [
      `# ${oneLine(title ?? `Session ${id}`)}\n`,
      `- session: ${id}`,
      `- started: ${started}`,
      `- directory: ${cwd}`,
      `- agent: ${agent}${team === undefined ? '' : ` (${team})`}`,
      ...(parent === undefined ? [] : [`- part of: ${parent}`]),
    ].join('\n'),
  call: () => '',
  message: ({ message }) => saying[message.role](message as never),
  context: ({ content }) => `## Context\n\n${quoted(content)}`,
  compacted: ({ summary, reason }) => `## Compacted (${reason})\n\n${summary}`,
  agent: ({ agent }) => `*${agent} takes over.*`,
  usage: () => '',
  worked: () => '',
  resumed: ({ at }) => `*Resumed ${at}.*`,
  cleared: ({ at }) => `*Begun anew ${at}.*`,
  ended: ({ at, reason }) => `*Ended ${at}: ${reason}.*`,
}

type Saying = { [R in Message['role']]: (message: Extract<Message, { role: R }>) => string }

const saying: Saying = {
  system: ({ content }) => `## Context\n\n${quoted(content)}`,
  user: ({ content }) => `## User\n\n${content}`,
  assistant: ({ content, agent, tool_calls = [] }) =>
    [
      `## ${agent ?? 'Assistant'}`,
      ...(content === '' ? [] : [content]),
      ...tool_calls.map(({ name, input }) => `**${name}**\n\n${fenced(JSON.stringify(input, null, 2), 'json')}`),
    ].join('\n\n'),
  tool: ({ tool_name, content, error }) => `**${tool_name}** ${error ? 'failed' : 'returned'}\n\n${fenced(content)}`,
}

/** A fence longer than any inside: what a tool returned must not be able to end it. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}

const quoted = (text: string): string => text.replace(/^/gm, '> ')
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

import { isRecord, quoteWords } from 'hookline/internal'

/** What an agent has said of one of its tool calls, as far as the guard looks into it. */
export interface ToolCall extends Record<string, unknown> {
  toolCallId: string
}

/** One thing that a tool call does, in our words. */
export interface Part {
  tool: string
  input: Record<string, unknown>
}

export const isToolCall = (value: unknown): value is ToolCall =>
  isRecord(value) && typeof value['toolCallId'] === 'string'

/** An update carries what changed: null takes nothing away. */
export const merged = (before: ToolCall | undefined, update: ToolCall): ToolCall => ({
  ...before,
  ...(Object.fromEntries(Object.entries(update).filter(([, value]) => value !== null)) as ToolCall),
})

/**
 * What a tool call does, from what the agent shows of it: its kind, its raw input, the places and changes that it names. Each
 * part is judged. A call that says nothing we know keeps its name, and its input.
 */
export function partsOf(call: ToolCall): readonly [Part, ...Part[]] {
  const kind = typeof call['kind'] === 'string' ? call['kind'] : 'other'
  const raw = isRecord(call['rawInput']) ? call['rawInput'] : {}
  const named = { tool: text(call['name']) ?? `acp_${kind}`, input: raw }
  const command = commandOf(call, raw, kind)
  const changes = changesIn(call)
  const changed = new Set(changes.map(({ input }) => input['path']))
  const places = placesOf(call, raw).filter((path) => !changed.has(path))
  const does = Object.hasOwn(byKind, kind) ? byKind[kind] : undefined
  const [first = named, ...rest] = [
    ...(command === undefined ? [] : [{ tool: 'shell', input: command }]),
    ...changes,
    ...(does && command === undefined ? does(places, raw) : []),
  ]
  return [first, ...rest]
}

/** What the person would be asked about: of the same call, whichever way the agent brings it. */
export const keyOf = ({ tool, input }: Part): string =>
  JSON.stringify([tool, input['command'] ?? input['path'], input['content']])

/** Kinds of calls about files and addresses, of the protocol (ToolKind), and what each does to the places that a call names. */
const byKind: Readonly<Record<string, (places: readonly string[], raw: Record<string, unknown>) => Part[]>> = {
  read: (places) => places.map((path) => ({ tool: 'read_file', input: { path } })),
  edit: (places) => places.map((path) => ({ tool: 'edit_file', input: { path, edits: [] } })),
  delete: (places) => places.map((path) => ({ tool: 'delete_file', input: { path } })),
  // Which of them it comes from is not said.
  move: (places) =>
    places.flatMap((path) => [
      { tool: 'delete_file', input: { path } },
      { tool: 'edit_file', input: { path, edits: [] } },
    ]),
  search: (places, raw) => places.map((path) => ({ tool: 'search_files', input: { ...raw, path } })),
  fetch: (_places, raw) => {
    const urls = [raw['url'], raw['urls']].flat().filter((url) => typeof url === 'string')
    return urls.length > 0 ? [{ tool: 'fetch', input: { urls } }] : []
  },
}

function commandOf(
  call: ToolCall,
  raw: Record<string, unknown>,
  kind: string,
): { command: string; cwd?: string } | undefined {
  const given = raw['command'] ?? raw['cmd']
  const words = Array.isArray(given) && given.every((word) => typeof word === 'string') ? given : undefined
  const command = words ? quoteWords(words) : (text(given) ?? (kind === 'execute' ? titleOf(call) : undefined))
  if (command === undefined) return undefined
  const cwd = text(raw['cwd']) ?? text(raw['workdir'])
  return { command, ...(cwd !== undefined && { cwd }) }
}

/** Agents that give no raw input have the command in the title, in backquotes or alone. */
function titleOf(call: ToolCall): string {
  const title = text(call['title']) ?? ''
  return /`([^`]+)`/.exec(title)?.[1] ?? title
}

function changesIn({ content }: ToolCall): Part[] {
  const list = Array.isArray(content) ? content : []
  return list.flatMap((each): Part[] => {
    if (!isRecord(each) || each['type'] !== 'diff' || typeof each['path'] !== 'string') return []
    const { path, oldText, newText } = each
    return typeof oldText === 'string'
      ? [{ tool: 'edit_file', input: { path, edits: [{ oldText, newText }] } }]
      : [{ tool: 'write_file', input: { path, content: newText } }]
  })
}

const pathKeys = ['path', 'file_path', 'filePath', 'abs_path', 'notebook_path', 'source', 'destination', 'paths']

function placesOf({ locations }: ToolCall, raw: Record<string, unknown>): string[] {
  const located = (Array.isArray(locations) ? locations : []).map((each) => (isRecord(each) ? each['path'] : undefined))
  const given = pathKeys.flatMap((key) => [raw[key]].flat())
  return [...new Set([...located, ...given].filter((path) => typeof path === 'string'))]
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * What a tool call does, whatever the tool is called. Our names and argument keys are those of our own agent; every
 * dialect and host declares its own against this table. An unknown tool keeps its name and has no actions.
 * @module
 */

/** What a call would do. A rule is about these, so that one line holds for every tool of every agent. */
export const actionKinds = ['run', 'read', 'write', 'delete', 'fetch', 'send', 'spawn', 'call'] as const
export type ActionKind = (typeof actionKinds)[number]

/** What an argument is, whatever a system calls it. Where a meaning implies an action, the value is what the action is about. */
export const meanings = {
  command: { doc: 'a command line for a shell', does: 'run' },
  directory: { doc: 'where the call works', does: undefined },
  reads: { doc: 'a path, or a list of paths, that is read', does: 'read' },
  writes: { doc: 'a path, or a list of paths, that is created or changed', does: 'write' },
  deletes: { doc: 'a path, or a list of paths, that is removed', does: 'delete' },
  url: { doc: 'an address, or a list of addresses, that is fetched', does: 'fetch' },
  recipient: { doc: 'who gets a message', does: 'send' },
  agent: { doc: 'the agent that gets a task', does: 'spawn' },
  text: { doc: 'content: what is written, sent or asked', does: undefined },
  pattern: { doc: 'what is searched for', does: undefined },
  other: { doc: 'anything else', does: undefined },
} as const satisfies Record<string, { doc: string; does: ActionKind | undefined }>
export type Meaning = keyof typeof meanings

/** Everything that is true of a tool. */
export interface ToolRow {
  doc: string
  /** Our keys, and what each means. A key that is not listed is `other`. */
  args: Readonly<Record<string, Meaning>>
  /** What every call does, also when the argument that says to what is missing. */
  does: readonly ActionKind[]
  /** The language of a `command`; absent: a POSIX shell. What is in another language is never safe, only unknown. */
  shell?: 'powershell' | 'cmd'
  /** What is true of its path is true of everything below: it removes a whole directory, or searches one. */
  below?: true
  /** Its commands run in a sandbox: over files that exist only for the session, without network. */
  contained?: true
}

const tool = (
  doc: string,
  args: ToolRow['args'],
  does: readonly ActionKind[],
  more: Partial<ToolRow> = {},
): ToolRow => ({
  doc,
  args,
  does,
  ...more,
})

export const tools = {
  shell: tool('Runs a command line.', { command: 'command', cwd: 'directory' }, ['run']),
  bash: tool('Runs a command line in the sandbox.', { command: 'command', cwd: 'directory' }, ['run'], {
    contained: true,
  }),
  powershell: tool('Runs a PowerShell command line.', { command: 'command', cwd: 'directory' }, ['run'], {
    shell: 'powershell',
  }),
  run_background_job: tool('Starts a command line and goes on.', { command: 'command', cwd: 'directory' }, ['run']),
  read_file: tool('Reads a file.', { path: 'reads' }, ['read']),
  read_multiple_files: tool('Reads several files.', { paths: 'reads' }, ['read']),
  write_file: tool('Writes a whole file.', { path: 'writes', content: 'text' }, ['write']),
  edit_file: tool('Replaces parts of a file.', { path: 'writes', edits: 'other' }, ['write']),
  delete_file: tool('Removes a file.', { path: 'deletes' }, ['delete']),
  create_directory: tool('Makes a directory.', { path: 'writes' }, ['write']),
  remove_directory: tool('Removes a directory.', { path: 'deletes' }, ['delete'], { below: true }),
  list_directory: tool('Lists a directory.', { path: 'reads' }, ['read']),
  directory_tree: tool('Lists a directory and what is below it.', { path: 'reads' }, ['read'], { below: true }),
  search_files: tool(
    'Finds files by name or content.',
    { path: 'reads', pattern: 'pattern', content: 'pattern' },
    ['read'],
    { below: true },
  ),
  search_files_content: tool('Finds lines in files.', { path: 'reads', query: 'pattern' }, ['read'], { below: true }),
  fetch: tool('Reads web pages.', { urls: 'url' }, ['fetch']),
  web_search: tool('Searches the web.', { query: 'pattern' }, ['fetch']),
  send_message: tool('Sends a message to somebody.', { to: 'recipient', text: 'text' }, ['send']),
  transfer_task: tool('Gives a task to another agent.', { agent: 'agent', task: 'text' }, ['spawn']),
} satisfies Record<string, ToolRow>

export type KnownTool = keyof typeof tools

/** A call in our words: one of our tools with our keys, an MCP tool as `mcp__server__tool`, or a tool nobody knows. */
export interface ToolCall {
  tool: string
  input: Readonly<Record<string, unknown>>
}

/** A tool of somebody's own, as people declare it: in a config, or in code. */
export interface ToolDeclaration {
  doc?: string | undefined
  /** What each argument means; a kind of value (`number`, `text` …) when it is nothing that an action is about. */
  args?: Readonly<Record<string, Meaning | PlainArgument>> | undefined
  does?: readonly ActionKind[] | undefined
}

/** Kinds of values by which people declare arguments that imply no action. */
export const plainArguments = ['string', 'number', 'boolean', 'list', 'object'] as const
export type PlainArgument = (typeof plainArguments)[number]

/** The row that a declaration stands for. */
export function toolRowOf({ doc = '', args = {}, does = [] }: ToolDeclaration): ToolRow {
  const read = Object.entries(args).map(([key, value]) => [key, Object.hasOwn(meanings, value) ? value : 'other'])
  const own = Object.fromEntries(read) as Record<string, Meaning>
  const implied = Object.values(own).flatMap((meaning) => meanings[meaning].does ?? [])
  return { doc, args: own, does: [...new Set([...does, ...implied])] }
}

/**
 * The declarations of all layers, strongest first. A weaker one can add arguments and actions to a tool, and take none
 * away: no project hides what a tool of the user does.
 */
export function mergeToolRows(strongestFirst: readonly Readonly<Record<string, ToolRow>>[]): Record<string, ToolRow> {
  const merged: Record<string, ToolRow> = {}
  for (const rows of strongestFirst)
    for (const [name, row] of Object.entries(rows)) {
      const known = Object.hasOwn(merged, name) ? merged[name] : undefined
      merged[name] = known
        ? { ...known, args: { ...row.args, ...known.args }, does: [...new Set([...known.does, ...row.does])] }
        : row
    }
  return merged
}

/** What a tool call would do. Pure over the `look` it is given. */
import { type Meaning, meanings, type ToolCall, type ToolRow, tools } from '../../core/index.ts'
import { lookup, quoteWords } from '../../shell/index.ts'
import { type Actions, known, type Look, unknownSlot } from '../types.ts'
import { type Found, newFound, settleFound } from './found.ts'
import { targetOf } from './hosts.ts'
import { readMcpCall } from './mcp.ts'
import { placesOf, plainPath } from './paths.ts'
import { readLine } from './shell.ts'
import { showSlot } from './slots.ts'
import { readWindowsLine } from './windows.ts'

/**
 * Everything that a call would do: each simple command, each file and directory, each host. `call` is in our words (see
 * core/tools.ts); `row` is what is known of a tool that somebody declared, and for a tool of our table it is looked up. A
 * tool that nobody knows has no actions.
 *
 * `look` answers for one moment, and answers are kept as long as it is: give each decision a new one.
 */
export function actionsOf(call: ToolCall & { cwd?: string }, look: Look, row?: ToolRow): Actions {
  const known = row ?? lookup<ToolRow>(tools, call.tool)
  const command = known ? onlyCommand(call, known) : undefined
  if (command === undefined || command.length > longestKept) return readCall(call, look, known)
  const kept = keptFor(look)
  const key = `${known?.shell}\0${known?.contained}\0${directoryOf(call, known)}\0${command}`
  const before = kept.get(key)
  if (before) return before
  const actions = readCall(call, look, known)
  if (kept.size >= keptAtMost) kept.delete(kept.keys().next().value!)
  kept.set(key, actions)
  return actions
}

const answers = new WeakMap<Look, Map<string, Actions>>()
const keptAtMost = 64
const longestKept = 4_096

function keptFor(look: Look): Map<string, Actions> {
  const kept = answers.get(look) ?? new Map<string, Actions>()
  answers.set(look, kept)
  return kept
}

/** The command of a call that is nothing but one. */
function onlyCommand({ input }: ToolCall, row: ToolRow): string | undefined {
  const keys = Object.keys(input).filter((key) => meanings[meaningOf(row, key)].does !== undefined)
  const [key] = keys
  const value = key !== undefined && keys.length === 1 && meaningOf(row, key) === 'command' ? input[key] : undefined
  return typeof value === 'string' ? value : undefined
}

function readCall(call: ToolCall & { cwd?: string }, look: Look, row: ToolRow | undefined): Actions {
  const found = newFound()
  if (row) readKnown(call, row, look, found)
  // What somebody declared of a tool of an MCP server comes beside what every such call is.
  if (!lookup<ToolRow>(tools, call.tool)) readMcpCall(call, look, found)
  return settleFound(found)
}

function readKnown(call: ToolCall & { cwd?: string }, row: ToolRow, look: Look, found: Found): void {
  const cwd = directoryOf(call, row)
  const said = new Set<string>()
  for (const [key, value] of Object.entries(call.input)) {
    const meaning = meaningOf(row, key)
    const { does } = meanings[meaning]
    if (does === undefined || value === undefined || value === null) continue
    // An empty command does nothing; an empty path is none.
    if (value !== '' || does === 'run') said.add(does)
    if (value === '') continue
    readArgument(value, meaning, { row, cwd, look, found })
  }
  for (const does of row.does) if (!said.has(does)) addUnsaid(does, row, cwd, look, found)
}

interface Reading {
  row: ToolRow
  cwd: string | undefined
  look: Look
  found: Found
}

function readArgument(value: unknown, meaning: Meaning, reading: Reading): void {
  const { row, cwd, look, found } = reading
  if (meaning === 'command') {
    const command = commandOf(value)
    if (command === undefined) found.doubts.add(NO_TEXT)
    else if (row.shell) readWindowsLine(command, row.shell, cwd, look, found)
    else readLine({ command, cwd, look, contained: row.contained === true }, found)
    return
  }
  for (const each of Array.isArray(value) ? value.slice(0, mostValues) : [value]) {
    if (typeof each === 'string') readText(each, meaning, reading)
    else addUnknown(meanings[meaning].does!, found)
  }
  if (Array.isArray(value) && value.length > mostValues) found.doubts.add('It names more than can be listed.')
}

const mostValues = 1_000
const NO_TEXT = 'Its command is no text.'

/** A list of words is a command without a shell. */
function commandOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? quoteWords(value) : undefined
}

function readText(text: string, meaning: Meaning, { row, cwd, look, found }: Reading): void {
  const inside: readonly string[] = []
  const { does } = meanings[meaning]
  switch (does) {
    case 'read':
    case 'write':
    case 'delete':
      if (row.contained) return
      for (const place of placesOf(plainPath(text, look.home), cwd, look))
        found.add({ kind: does, ...place, ...(row.below ? { recursive: true } : {}), inside })
      return
    case 'fetch': {
      const target = targetOf({ text, taints: [], glob: false })
      found.add({ kind: 'fetch', ...target, inside, shown: showSlot(target.host) })
      return
    }
    case 'send':
      found.add({ kind: 'send', to: known(text), inside, shown: text })
      return
    case 'spawn':
      found.add({ kind: 'spawn', agent: known(text), inside, shown: text })
  }
}

/** The row says that it does so, and the call does not say to what. */
function addUnsaid(
  does: ToolRow['does'][number],
  row: ToolRow,
  cwd: string | undefined,
  look: Look,
  found: Found,
): void {
  const takes = Object.values(row.args).some((meaning) => meanings[meaning].does === does)
  if (does === 'read' && takes && row.args.path) readText('.', 'reads', { row, cwd, look, found })
  // A web search goes to whoever offers it, and to no host that anybody could name.
  else if (does === 'fetch' && !takes) found.add({ kind: 'fetch', host: known(''), inside: [], shown: 'the web' })
  else addUnknown(does, found)
}

function addUnknown(does: ToolRow['does'][number], found: Found): void {
  const rest = { inside: [], shown: '…' } as const
  if (does === 'read' || does === 'write' || does === 'delete') found.add({ kind: does, paths: [unknownSlot], ...rest })
  else if (does === 'fetch') found.add({ kind: 'fetch', host: unknownSlot, ...rest })
  else if (does === 'send') found.add({ kind: 'send', to: unknownSlot, ...rest })
  else if (does === 'spawn') found.add({ kind: 'spawn', agent: unknownSlot, ...rest })
  else found.doubts.add(NO_TEXT)
}

const meaningOf = (row: ToolRow, key: string): Meaning => lookup<Meaning>(row.args, key) ?? 'other'

/** Where the call works: the directory it names, against the one it comes from. */
function directoryOf(call: ToolCall & { cwd?: string }, row: ToolRow | undefined): string | undefined {
  const own = Object.entries(call.input).find(([key]) => row && meaningOf(row, key) === 'directory')?.[1]
  if (typeof own !== 'string' || own === '') return call.cwd
  return own.startsWith('/') || call.cwd === undefined ? own : `${call.cwd.replace(/\/+$/, '')}/${own}`
}

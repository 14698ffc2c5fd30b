import { applyEdits, type Edit, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'
import { HooklineError, isRecord, note } from '../core/index.ts'
import { type Ground, type Host, type McpPlace, mcpPlaces, type Scope } from '../hosts/index.ts'
import type { Changed } from './change.ts'
import { readJson } from './edit-json.ts'
import { readText, writeText } from './files.ts'

/** How our command line is started: a program and its first arguments. */
export type OurCommand = readonly [string, ...string[]]

export interface GuardedServers {
  files: readonly Changed[]
  /** The servers that go through the guard now, by name. */
  guarded: readonly string[]
  /** Those that do not, and why. */
  left: readonly { name: string; why: string }[]
}

/**
 * Puts `hookline mcp` in front of every server that the agent starts. Only words are put in, at the beginning: a server's
 * own words, its variables and whatever else is in the file stay as they are written.
 */
export function installMcp(host: Host, scope: Scope, ground: Ground, ours: OurCommand): GuardedServers {
  return change(host, scope, ground, (name, words, server) =>
    guardIn(words) > 0 ? [] : server.guard([...ours, 'mcp', `--name=${name}`, '--']),
  )
}

/** Takes those words out again. */
export function uninstallMcp(host: Host, scope: Scope, ground: Ground): GuardedServers {
  return change(host, scope, ground, (name, words, server) => {
    const at = guardIn(words)
    const isOurs = at > 0 && words[at + 1] === `--name=${name}` && words[at + 2] === '--'
    return isOurs ? server.unguard(at + 3) : []
  })
}

/** Where `mcp` stands behind our program, whoever put it there; 0: nowhere. */
function guardIn(words: readonly string[]): number {
  const at = words.indexOf('mcp')
  return at > 0 && at <= 3 && /(?:^|\/)hookline(?:\.[cm]?js)?$/.test(words[at - 1]!) ? at : 0
}

type EditsOf = (name: string, words: readonly string[], server: ServerText) => Edit[]

function change(host: Host, scope: Scope, ground: Ground, editsOf: EditsOf): GuardedServers {
  const places = mcpPlaces[host.name]?.(scope, ground) ?? []
  if (places.length === 0) throw new HooklineError(note('host-no-mcp', { called: host.called, scope }))
  const paths = [...new Set(places.map(({ path }) => path))]
  const done = paths.map((path) =>
    changeFile(
      path,
      places.filter((place) => place.path === path),
      editsOf,
    ),
  )
  return {
    files: done.map(({ file }) => file),
    guarded: done.flatMap(({ guarded }) => guarded),
    left: done.flatMap(({ left }) => left),
  }
}

function changeFile(path: string, places: readonly McpPlace[], editsOf: EditsOf) {
  const text = readText(path)
  if (text === undefined) return { file: { path, did: 'none' } as const, guarded: [], left: [] }
  const body = text.replace(/^\uFEFF/, '')
  const root = parseTree(body)
  const edits: Edit[] = []
  const left: { name: string; why: string }[] = []
  for (const { place, keys, name, server } of places.flatMap((place) => serversIn(text, place))) {
    const words = wordsOf(server, place)
    if (words) edits.push(...editsOf(name, words, serverText(body, findNodeAtLocation(root!, [...keys, name])!, place)))
    else left.push({ name, why: 'it is not started by a command: use `hookline mcp --url`' })
  }
  if (edits.length > 0) writeText(path, text.slice(0, text.length - body.length) + applyEdits(body, edits))
  const after = readText(path) ?? ''
  const guarded = places
    .flatMap((place) => serversIn(after, place))
    .filter(({ place, server }) => guardIn(wordsOf(server, place) ?? []) > 0)
    .map(({ name }) => name)
  return { file: { path, did: edits.length > 0 ? 'wrote' : 'kept' } as const, guarded, left }
}

interface Server {
  place: McpPlace
  /** Where in the file the list is that it stands in. */
  keys: readonly string[]
  name: string
  server: unknown
}

function serversIn(text: string, place: McpPlace): Server[] {
  const read = readJson(text, place.format)
  if (!read.ok) throw new HooklineError(note('host-file-unreadable', { file: place.path, detail: read.detail }))
  return listsIn(read.value, place.keys).flatMap(({ keys, list }) =>
    Object.entries(list).map(([name, server]) => ({ place, keys, name, server })),
  )
}

/** Every list of servers that the keys lead to. */
function listsIn(
  value: unknown,
  [first, ...rest]: readonly string[],
  keys: readonly string[] = [],
): { keys: readonly string[]; list: Record<string, unknown> }[] {
  if (!isRecord(value)) return []
  if (first === undefined) return [{ keys, list: value }]
  const next = first === '*' ? Object.keys(value) : Object.hasOwn(value, first) ? [first] : []
  return next.flatMap((key) => listsIn(value[key], rest, [...keys, key]))
}

function wordsOf(server: unknown, { inOne }: McpPlace): readonly string[] | undefined {
  if (!isRecord(server)) return undefined
  const { command, args = [] } = server
  const words = inOne ? command : typeof command === 'string' && Array.isArray(args) ? [command, ...args] : undefined
  return Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string') ? words : undefined
}

/** The words of one server, as they are written. */
interface ServerText {
  guard(ours: readonly string[]): Edit[]
  /** `own`: how many of the words are ours. */
  unguard(own: number): Edit[]
}

function serverText(body: string, server: Node, { inOne }: McpPlace): ServerText {
  const command = findNodeAtLocation(server, ['command'])!
  const args = findNodeAtLocation(server, ['args'])
  const textOf = ({ offset, length }: Node) => body.slice(offset, offset + length)
  const asCommand = (content: string): Edit => ({ offset: command.offset, length: command.length, content })
  return {
    guard(ours) {
      const texts = ours.map((word) => JSON.stringify(word))
      if (inOne) return [prepended(command, texts)]
      const [program, ...rest] = texts
      const words = [...rest, textOf(command)]
      if (args) return [asCommand(program!), prepended(args, words)]
      return [asCommand(`${program},${added}[${words.join(', ')}]`)]
    },
    unguard(own) {
      if (inOne) return [shortened(command, own)]
      const { children = [] } = args!
      const program = textOf(children[own - 1]!)
      const isAdded = own === children.length && body.slice(0, args!.offset).endsWith(`,${added}`)
      if (!isAdded) return [asCommand(program), shortened(args!, own)]
      return [{ offset: command.offset, length: args!.offset + args!.length - command.offset, content: program }]
    },
  }
}

/** Where there were no arguments, ours stand right behind the command and go with it: spaced as nobody else writes it. */
const added = '  "args" :'

const prepended = ({ offset, children = [] }: Node, texts: readonly string[]): Edit => ({
  offset: offset + 1,
  length: 0,
  content: texts.join(', ') + (children.length > 0 ? ', ' : ''),
})

/** Without its first elements, which were put in as `prepended` does it. */
function shortened({ children = [] }: Node, count: number): Edit {
  const first = children[0]!
  const last = children[count - 1]!
  const ours = last.offset + last.length
  // A formatter may have taken the space behind our comma.
  const end = children.length > count ? Math.min(ours + ', '.length, children[count]!.offset) : ours
  return { offset: first.offset, length: end - first.offset, content: '' }
}

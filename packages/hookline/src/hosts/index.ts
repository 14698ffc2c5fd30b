import type { Dialect } from '../core/index.ts'
import { type Dialects, loadDialect } from '../dialects/index.ts'
import type { Host } from './host.ts'
import { careful, hostDialect } from './shape.ts'

/** Every foreign agent whose tools we know, beside those that have a dialect; one line each, loaded when it raises an event. */
const hosts: Record<string, () => Promise<Host>> = {
  codex: async () => (await import('./codex.ts')).codex,
  copilot: async () => (await import('./copilot.ts')).copilot,
  gemini: async () => (await import('./gemini.ts')).gemini,
  qwen: async () => (await import('./qwen.ts')).qwen,
  opencode: async () => (await import('./opencode.ts')).opencode,
  pi: async () => (await import('./pi.ts')).pi,
  cline: async () => (await import('./cline.ts')).cline,
  goose: async () => (await import('./goose.ts')).goose,
  grok: async () => (await import('./grok.ts')).grok,
}

/** Agents that nobody has run with Hookline yet: what is known of them stands in documents, and in golden payloads made from these. */
const byDocuments: Record<string, () => Promise<Host>> = {
  cursor: async () => (await import('./cursor.ts')).cursor,
  vscode: async () => (await import('./vscode.ts')).vscode,
  windsurf: async () => (await import('./windsurf.ts')).windsurf,
  kiro: async () => (await import('./kiro.ts')).kiro,
  factory: async () => (await import('./factory.ts')).factory,
  antigravity: async () => (await import('./antigravity.ts')).antigravity,
}

/** Agents in which our entry can stand and that are a dialect of ours. */
const ofDialects: Record<string, { dialect: string; load(): Promise<Omit<Host, 'tools'>> }> = {
  claude: { dialect: 'claude-code', load: async () => (await import('./claude.ts')).claude },
  crush: { dialect: 'crush', load: async () => (await import('./crush.ts')).crush },
  'docker-agent': { dialect: 'docker-agent', load: async () => (await import('./docker-agent.ts')).dockerAgent },
}

export const hostNames: readonly string[] = [...Object.keys(hosts), ...Object.keys(byDocuments)]
/** Those that were run for real, by `npm run test:hosts`. */
export const triedHosts: readonly string[] = ['claude', ...Object.keys(hosts)]
/** Where our entry can be installed. */
export const installable: readonly string[] = [
  ...new Set([...triedHosts, ...Object.keys(byDocuments), ...Object.keys(ofDialects)]),
]

/** What is loaded stays: every event asks, and an import of what is there already is not free. */
const loaded = new Map<string, Host>()

export async function loadHost(name: string): Promise<Host | undefined> {
  const host = loaded.get(name) ?? (await importHost(name))
  if (host) loaded.set(name, host)
  return host
}

async function importHost(name: string): Promise<Host | undefined> {
  if (Object.hasOwn(hosts, name)) return hosts[name]!()
  if (Object.hasOwn(byDocuments, name)) return byDocuments[name]!()
  if (!Object.hasOwn(ofDialects, name)) return undefined
  const { dialect, load } = ofDialects[name]!
  return { ...(await load()), tools: (await loadDialect(dialect)).tools! }
}

/** The name under which the events of a host are known: that of its dialect, where it has one. */
export const dialectNameOf = (name: string): string => ofDialects[hostOf(name)]?.dialect ?? name

/**
 * What our entry in an agent raises its events as. A dialect leaves to its system what an entry must decide, as for a question that
 * nobody would put; so where agent and dialect have one name, this is another.
 */
export const raisedAs = (host: string): string => (ofDialects[host]?.dialect === host ? `${installed}${host}` : host)
const installed = 'installed:'
/** The agent whose events are raised as this. */
export const hostOf = (name: string): string => (name.startsWith(installed) ? name.slice(installed.length) : name)

/** What a host of that name writes and reads. */
export async function dialectOfHost(name: string, dialects: Dialects): Promise<Dialect> {
  const known = made.get(dialects)?.get(name)
  if (known) return known
  const dialect = await makeDialect(name, dialects)
  if (!made.has(dialects)) made.set(dialects, new Map())
  made.get(dialects)!.set(name, dialect)
  return dialect
}
const made = new WeakMap<Dialects, Map<string, Dialect>>()

async function makeDialect(name: string, dialects: Dialects): Promise<Dialect> {
  if (dialects.names.includes(name)) return dialects.load(name)
  const host = await loadHost(hostOf(name))
  if (!host) return dialects.load(name)
  const own = ofDialects[host.name]
  return own ? careful(host, await dialects.load(own.dialect)) : hostDialect(host, await dialects.load('claude-code'))
}

export { callerOf } from './caller.ts'
export { canaryCommand, canaryReason, isCanary } from './canary.ts'
export { type EntryOptions, entryCommand, entryProgram, isClosed, isEntryCommand } from './entry.ts'
export { lineOf as lineFor } from './groups.ts'
export { type Abilities, type Answer, defineHost, type Host, type Way } from './host.ts'
export { type McpPlace, mcpPlaces } from './mcp-places.ts'
export type { Entry, Format, Ground, HostSetup, ListedHook, Listing, Ours, Scope, Trust, WantedFile } from './setup.ts'
export { movedBy, scopes } from './setup.ts'
export { hostDialect } from './shape.ts'
export { type HostTraces, hostTraces } from './traces.ts'

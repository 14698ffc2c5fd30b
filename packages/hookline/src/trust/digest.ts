import { hash } from 'node:crypto'
import type { Hook, MatchTest, Run } from '../core/index.ts'

/** Bytes that run, as they were when somebody looked; or that there was nothing. */
export type PinnedFile =
  | { path: string; realpath: string; sha256: string; mode: number; size: number }
  | { path: string; missing: true }

/** A program found by its name or a first line of a script, and where that led. */
export interface FoundProgram {
  name: string
  realpath: string | null
}

/** What a person can approve: a hook, or what an agent file brings beside hooks. All fields are bound but those known to be harmless. */
export type Approvable = Pick<Hook, 'id' | 'run' | 'env' | 'origin' | 'partOf'> & {
  description?: string | undefined
  workingDir?: string | undefined
  matcher?: readonly MatchTest[]
}

/** Everything an approval binds to. Plain data: the digest is made of it, and a later change is found by comparing it. */
export interface Subject {
  version: 1
  scope: string
  /** The config file itself, not a link to it. */
  file: string | null
  hook: Record<string, unknown>
  files: PinnedFile[]
  programs: FoundProgram[]
}

/** What a hook is called, whether it is switched on, and what `doctor` tries: none of it changes what runs, or when. */
const unbound = new Set(['id', 'description', 'enabled', 'canary', 'origin', 'partOf'])

/** Which of these names a file was found by says nothing about its power; that it is above the project's reach does. */
const scopes: Record<string, string> = { project: 'workspace', local: 'workspace', session: 'workspace' }

/** Whether a project could have written the hooks of this layer. */
export const isWorkspace = (layer: string): boolean => scopes[layer] === 'workspace'

/** All fields of the hook are bound but those known to be harmless, so that a field added later is bound too. */
export function subjectOf(
  hook: Approvable,
  file: string | null,
  pinned: { files: readonly PinnedFile[]; programs: readonly FoundProgram[] },
): Subject {
  return {
    version: 1,
    scope: scopes[hook.origin.layer] ?? hook.origin.layer,
    file,
    // What a bundle of ours holds is our code, like the built-ins that it names: what was chosen of it counts.
    hook: hook.origin.ours ? { ...hook.origin.ours } : definitionOf(hook),
    files: [...pinned.files],
    programs: [...pinned.programs],
  }
}

function definitionOf(hook: Approvable): Record<string, unknown> {
  const bound: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(hook)) if (!unbound.has(key) && value !== undefined) bound[key] = value
  // One approval is for the whole: its parts follow from what it runs.
  if (hook.partOf) bound['event'] = hook.partOf.event
  if (hook.matcher) bound['matcher'] = hook.matcher.map(({ where: _, ...test }) => test)
  return bound
}

export function digestOf(subject: Subject): string {
  return `sha256:${hash('sha256', canonicalJson(bound(subject)), 'hex')}`
}

/** A digest of another making proves nothing. */
export const isDigest = (text: unknown): text is string =>
  typeof text === 'string' && /^sha256:[0-9a-f]{64}$/.test(text)

/** Same data, same text (RFC 8785): keys in order, no space. Strings stay as they are: `é` written in two ways names two files. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  let text = ''
  for (const key of Object.keys(value).sort()) {
    const each = (value as Record<string, unknown>)[key]
    if (each !== undefined && typeof each !== 'function')
      text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(each)}`
  }
  return `{${text}}`
}

/** The size follows from the bytes; the way a file was written down does not matter beside where it led. */
function bound({ files, ...subject }: Subject): unknown {
  return { ...subject, files: files.map((file) => ('missing' in file ? file : { ...file, path: null, size: null })) }
}

/** What a hook runs is a name for it too, as in Starchild: its command or its URL stands for every hook that runs it. */
export const isCalled = (name: string, id: string, run: Partial<Run>): boolean =>
  name === id || name === run['command'] || name === run['url']

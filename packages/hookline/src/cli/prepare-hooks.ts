import { resolve } from 'node:path'
import { isRecord, type Note, parseJson, type StateStore } from '../core/index.ts'
import { fileState } from '../executors/index.ts'
import { createHooks, type Hooks, type HooksOptions } from '../hooks/index.ts'
import { callerDirectory } from '../platform/index.ts'
import type { Approver } from '../trust/index.ts'
import { type Invocation, texts, UsageError } from './command.ts'
import { type Configured, configured } from './configured.ts'
import { journalFor } from './journal-for.ts'

/** All that hooks need to judge real events, found and not loaded yet. */
export interface Prepared extends Pick<Configured, 'cwd' | 'off' | 'isCurrent'> {
  /** Undefined: whoever starts the run trusts everything. */
  approver: Approver | undefined
  state: StateStore
  /** Somebody named the config files: they are not found by themselves. */
  namesFiles: boolean
  /** Whether the desktop shows what is asked where the host cannot ask. */
  notify: boolean
  open(more: Pick<HooksOptions, 'cache' | 'later'>): Promise<Hooks>
}

interface Circumstances {
  likely?: string | undefined
  mayBeNone: boolean
  /** Gets what a person must know. */
  warn(note: Note): void
}

/** For a process that lives for one event and for the daemon alike. */
export async function prepareHooks(
  invocation: Pick<Invocation, 'values' | 'errors'>,
  { likely, mayBeNone, warn }: Circumstances,
): Promise<Prepared> {
  const { values } = invocation
  const found = await configured(invocation, [], { quiet: true, likely, mayBeNone })
  const { files, cwd, off, settings, isCurrent } = found
  const { trust = trustAll, approver } = await trustBy(texts(values['trust']))
  const from = callerDirectory()
  const absolute = files.map((each) => (each.text === undefined ? { ...each, file: resolve(from, each.file) } : each))
  const journal = journalFor(values, settings, warn)
  const state = fileState()
  return {
    ...{ cwd, off, isCurrent, approver, state, namesFiles: values['config'] !== undefined },
    notify: settings.questions?.notify === true,
    open: (more) =>
      createHooks({ files: absolute, state, sealed: true, journal, cwd, off, trust, onNote: warn, ...more }),
  }
}

/** `--trust all`: whoever starts the run trusts every hook. Each dispatch records it. */
const trustAll = () => ({ trusted: true, unchecked: true }) as const

/** Which hooks may run: all with `--trust all`; else those that a person approved, and the digests named here. */
export async function trustBy(
  given: readonly string[],
): Promise<Pick<HooksOptions, 'trust'> & { approver?: Approver }> {
  if (given.includes('all')) return {}
  const { isDigest, openTrust } = await import('../trust/index.ts')
  const unknown = given.find((value) => !isDigest(value))
  if (unknown !== undefined)
    throw new UsageError('`--trust` takes `all`, or a digest as `hookline list --json` shows it.')
  const approver = openTrust({ digests: given })
  return { trust: approver.gate, approver }
}

export function readPayload(source: string): Record<string, unknown> {
  const parsed = parseJson(source)
  if (!parsed.ok) throw new UsageError(`The payload on standard input is not valid JSON: ${parsed.detail}.`)
  if (!isRecord(parsed.value)) throw new UsageError('The payload on standard input must be one JSON object.')
  return parsed.value
}

import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type BuiltinKit,
  type Call,
  type DirectReply,
  type Executor,
  type Hook,
  HookFailure,
} from '../../core/index.ts'
import { files, loadExecutor } from '../../executors/index.ts'
import { definitionOf } from '../../hooks/index.ts'
import { type Entry, type HookEntry, unclipped, whatIsMissing } from '../../journal/index.ts'

/** How a hook came by its answer in a replay. */
export type Source = 'answered' | 'recorded' | 'ran' | 'not-replayed'

export interface Rehearsal {
  executors: readonly Executor[]
  /** From now on, hooks run on this entry. */
  about(entry: Entry): void
  /** Where the answer of each hook that ran on it came from. */
  sources(): ReadonlyMap<string, Source>
}

/**
 * Executors that run hooks on what happened once without letting it happen again. A builtin that only looks at the
 * event answers anew. What it reads of the world, remembers, or would do to it, and every other kind of hook, is
 * answered from the journal, if that has an answer of the same definition; else a builtin that only reads answers from
 * the world as it is now, and all others are not replayed. Hooks that are to run, run.
 */
export async function rehearse(types: Iterable<string>, runs: (hook: Hook) => boolean): Promise<Rehearsal> {
  let entry: Entry | undefined
  let isWhole = true
  let sources = new Map<string, Source>()
  const executors: Executor[] = []
  for (const type of new Set(types)) {
    const real = await loadExecutor(type)
    const anew = Object.hasOwn(answering, type) ? await answering[type]!(() => entry) : undefined
    executors.push({ ...standIn(real, anew), type })
  }
  return {
    executors,
    about(next) {
      entry = next
      isWhole = whatIsMissing(next.payload).length === 0
      sources = new Map()
    },
    sources: () => sources,
  }

  function standIn(real: Executor, anew: Anew | undefined): Executor {
    return {
      ...real,
      warm: () => {},
      async run(spec, call) {
        if (runs(call.hook)) {
          sources.set(call.hook.id, 'ran')
          return real.run(spec, call)
        }
        const recorded = recordOf(entry, call.hook)
        const fresh = anew && (isWhole || !recorded) ? await anew.answer(spec, call) : undefined
        if (recorded && (!fresh || fresh.touched || recorded.failure?.kind === 'untrusted')) {
          sources.set(call.hook.id, 'recorded')
          return replyOf(recorded)
        }
        sources.set(call.hook.id, fresh && !fresh.acted ? 'answered' : 'not-replayed')
        return fresh && !fresh.acted ? fresh.reply() : { kind: 'opinion', opinion: undefined }
      },
      async close() {
        await Promise.all([real.close?.(), anew?.close()])
      },
    }
  }
}

/** What the hook answered then, if it is still the same hook. */
function recordOf(entry: Entry | undefined, hook: Hook): HookEntry | undefined {
  const recorded = entry?.hooks.find(({ id, asked }) => asked && id === hook.id)
  if (!recorded || recorded.background) return undefined
  return recorded.definition === undefined || recorded.definition === definitionOf(hook) ? recorded : undefined
}

/** A failure fails again, so that the failure policy of this config decides what it amounts to. */
function replyOf({ failure, opinion, rules }: HookEntry): DirectReply {
  if (failure) throw new HookFailure(failure.kind, failure.detail)
  return { kind: 'opinion', opinion: unclipped(opinion), ...(rules && { rules }) }
}

/** A new answer, or that it failed. `touched`: something was read or remembered for it; `acted`: or done, had it been let. */
interface Fresh {
  reply(): Awaited<ReturnType<Executor['run']>>
  touched: boolean
  acted: boolean
}

interface Anew {
  answer(spec: unknown, call: Call): Promise<Fresh>
  close(): Promise<void>
}

/** Kinds of hooks that can answer without acting. */
const answering: Readonly<Record<string, (entry: () => Entry | undefined) => Promise<Anew>>> = {
  builtin: answerBuiltins,
  rules: answerRules,
}

/** Rules look at the world as it is now, and leave it alone. */
async function answerRules(): Promise<Anew> {
  const rules = await loadExecutor('rules')
  return {
    async answer(spec, call) {
      const reply = await settled(async () => rules.run(spec, call))
      return { reply, touched: true, acted: false }
    },
    close: async () => rules.close?.(),
  }
}

/** What it answered, or that it failed, to be given or thrown once more. */
const settled = <T>(answer: () => Promise<T>): Promise<() => T> =>
  answer().then(
    (given) => () => given,
    (failure: unknown) => () => {
      throw failure
    },
  )

async function answerBuiltins(entry: () => Entry | undefined): Promise<Anew> {
  const current = new AsyncLocalStorage<{ touched: boolean; acted: boolean; scope: string }>()
  const memory = new Map<string, unknown>()
  const touch = () => {
    const store = current.getStore()
    if (store) store.touched = true
    return store?.scope ?? ''
  }
  const act = async (): Promise<never> => {
    touch()
    const store = current.getStore()
    if (store) store.acted = true
    throw new HookFailure('aborted', 'it is not run in a replay')
  }
  const reading = <K extends 'read' | 'list' | 'kind' | 'size' | 'realpath'>(name: K) =>
    ((...args: Parameters<BuiltinKit[K]>) => {
      touch()
      return (files[name] as (...args: unknown[]) => unknown)(...args)
    }) as unknown as BuiltinKit[K]
  const kit: Partial<BuiltinKit> = {
    now: () => new Date(entry()?.time ?? Date.now()),
    read: reading('read'),
    list: reading('list'),
    kind: reading('kind'),
    size: reading('size'),
    realpath: reading('realpath'),
    async knownSecrets(directory) {
      const known = await files.knownSecrets(directory)
      if (known.length > 0) touch()
      return known
    },
    ...{ exec: act, write: act, append: act, remove: act, request: act },
    recall: async <T>(key: string) => memory.get(`${touch()}\0${key}`) as T | undefined,
    async update<T>(key: string, change: (current: T | undefined) => T) {
      const place = `${touch()}\0${key}`
      const value = change(memory.get(place) as T | undefined)
      memory.set(place, value)
      return value
    },
    exclusive: (_path, work) => work(),
  }
  const builtin = await loadExecutor('builtin', { kit })
  return {
    answer(spec, call) {
      const store = { touched: false, acted: false, scope: `${call.hook.id}\0${String(call.event.payload.session_id)}` }
      return current.run(store, async () => {
        const reply = await settled(async () => builtin.run(spec, call))
        return { reply, ...store }
      })
    },
    close: async () => builtin.close?.(),
  }
}

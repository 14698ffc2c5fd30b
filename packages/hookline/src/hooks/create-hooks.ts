import { resolve } from 'node:path'
import type { EventName, Note } from '../core/index.ts'
import { HooklineError, isAdministrators, isoNow, joined, memoryState, note } from '../core/index.ts'
import { withDialects } from '../dialects/index.ts'
import { makeRedoCounts } from '../engine/index.ts'
import type { Handler } from '../executors/index.ts'
import { dialectOfHost } from '../hosts/index.ts'
import { homeDirectory } from '../platform/index.ts'
import { guardTool, judgeTool, makeSession, type Seam } from '../seam/index.ts'
import type { FunctionOptions, Hooks, HooksOptions, SessionOptions } from './contract.ts'
import { openGenerations } from './generations.ts'
import { type CodeHook, decodeOne, decodeRule, filesOf } from './load-hooks.ts'
import { policyOf } from './policy.ts'
import { atDepth, makeRaise } from './raise.ts'
import { openRecorder } from './record.ts'
import { isStandIn, trustInStandIn } from './stand-ins.ts'

/** How long close() waits for background hooks. */
const defaultDrainMs = 5_000

/**
 * The composition root: reads the config, makes the index of hooks, and gives back the door through which a host raises
 * events.
 */
export async function createHooks(options: HooksOptions = {}): Promise<Hooks> {
  const state = options.state ?? memoryState()
  const generations = await openGenerations({ ...options, state })
  const dialects = withDialects(options.dialects)
  const { journal, record } = await openRecorder(options.journal ?? {})
  const cwd = options.cwd ?? process.cwd()
  const afterwards = (note: Note) => options.onNote?.(note)
  const background = backgroundWork()
  const trust = options.trust ?? (() => ({ trusted: true }) as const)
  const { raise, raiseAs, plan, runLater } = makeRaise(
    generations,
    {
      trust: (hook, ...asked) =>
        isStandIn(hook) ? trustInStandIn(hook, trust(hook, ...asked)) : trust(hook, ...asked),
      home: homeDirectory(),
      slots: generations.slots,
      nested: atDepth,
      defaults: () => ({ ts: isoNow(), cwd }),
      record,
      afterwards,
      redos: makeRedoCounts(state),
      background: background.add,
      later: options.later,
    },
    dialects,
    () => options.off?.(),
    options.host,
  )
  const written = () => filesOf(options).flatMap(({ file, text }) => (text === undefined ? [resolve(file)] : []))
  const watch = options.watch && (await import('./watch-hooks.ts')).watchHooks(generations, written, options)
  let closing: Promise<void> | undefined
  let added = 0

  async function shutDown(drainMs: number): Promise<void> {
    const abandoned = await background.drain(drainMs)
    for (let each = 0; each < abandoned; each++) afterwards(note('background-abandoned', {}))
    await generations.settled()
    await Promise.all(Object.values(generations.executors).map((executor) => executor.close?.()))
    await journal.close()
  }

  /** After close() nothing begins any more. */
  const whileOpen =
    <A extends unknown[], T>(work: (...given: A) => Promise<T>) =>
    (...given: A): Promise<T> =>
      closing ? Promise.reject(new HooklineError(note('closed', {}))) : work(...given)

  const raiseOpen = whileOpen(raise) as Hooks['raise']
  const policy = () => policyOf(generations.current.index)
  const seam: Seam = { raise: raiseOpen, state, policy }
  return {
    raise: raiseOpen,
    guardTool: (call, execute, given) => guardTool(raiseOpen, call, execute, given),
    judgeTool: (call, given) => judgeTool(seam, call, given),
    session: (id, defaults, given) => makeSession({ ...seam, raise: raisingAs(raiseOpen, given) }, id, defaults),
    policy,
    raiseAs: whileOpen(raiseAs),
    runLater: whileOpen(runLater),
    async replyAs(name, verdict) {
      return (await dialectOfHost(name, dialects)).reply.encode(verdict).value
    },
    plan,
    on(event: EventName, ...rest: unknown[]) {
      if (options.sealed) throw new HooklineError(note('sealed', {}))
      const [matcher, handler, entry] = typeof rest[0] === 'function' ? [undefined, rest[0]] : rest
      const own = {
        id: `function_${++added}`,
        ...(entry as FunctionOptions),
        ...(matcher ? { matcher } : {}),
        event,
        run: handler as Handler,
      }
      const hook = decodeOne(generations.dialect('native'), own as CodeHook)
      generations.add(hook)
      return () => generations.remove(hook)
    },
    rule(rule) {
      if (options.sealed) throw new HooklineError(note('sealed', {}))
      const executor = generations.executors['rules']!
      const hooks = decodeRule(generations.dialect('native'), rule, executor, rule.id ?? `rule_${++added}`)
      for (const hook of hooks) generations.add(hook)
      return () => {
        for (const hook of hooks) generations.remove(hook)
      }
    },
    enable(id, enabled) {
      const hook = generations.current.index.hooks.find((ready) => ready.hook.id === id)?.hook
      if (!hook) throw new HooklineError(note('unknown-hook', { id }))
      if (isAdministrators(hook.origin.layer) && !enabled) throw new HooklineError(note('managed-hook', { id }))
      generations.enable(id, enabled)
    },
    reload: whileOpen(() => generations.reload()),
    get hooks() {
      return generations.current.index.hooks.map((ready) => ready.hook)
    },
    executorOf: (hook) => generations.current.index.hooks.find((ready) => ready.hook === hook)?.executor,
    get generation() {
      return generations.current.index.generation
    },
    get notes() {
      return generations.notes
    },
    get reads() {
      return generations.reads
    },
    get until() {
      return generations.until
    },
    journal,
    close({ drainMs = defaultDrainMs } = {}) {
      if (watch) watch.close()
      closing ??= shutDown(drainMs)
      return closing
    },
  }
}

/** Raises as a session wants it. */
function raisingAs(raise: Hooks['raise'], { onVerdict, ...options }: SessionOptions = {}): Hooks['raise'] {
  const raiseOwn: Hooks['raise'] = (event, payload, given) =>
    raise(event, payload, given ? joined(given, options) : options)
  if (!onVerdict) return raiseOwn
  return async (event, payload, given) => {
    const verdict = await raiseOwn(event, payload, given)
    onVerdict(verdict as never)
    return verdict
  }
}

/** Work that nobody waits for, until close() does. */
function backgroundWork() {
  const running = new Set<Promise<unknown>>()
  return {
    add(work: Promise<unknown>): void {
      const watched: Promise<unknown> = work.finally(() => running.delete(watched))
      running.add(watched)
    },
    /** Waits at most this long; gives back how much is still running. */
    async drain(drainMs: number): Promise<number> {
      let timer: ReturnType<typeof setTimeout> | undefined
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, drainMs)
      })
      await Promise.race([Promise.allSettled(running), patience])
      clearTimeout(timer)
      return running.size
    },
  }
}

import * as z from 'zod/mini'
import { canariesOf, noArgs, builtins as ours } from '../builtins/index.ts'
import {
  type Builtin,
  type BuiltinKit,
  type Deed,
  deeds,
  defineExecutor,
  didYouMean,
  type EventName,
  type Executor,
  eventRow,
  formatPath,
  HookFailure,
  isRecord,
  memoryState,
  type Note,
  note,
  onlyTightens,
  type Pin,
  type StateStore,
  validate,
  withEnd,
} from '../core/index.ts'
import { dataDirectory } from '../platform/index.ts'
import { inProcess, openCalls } from './calls.ts'
import { type KitServices, makeKit } from './kit/index.ts'
import type { Outside } from './kit/outside.ts'

export interface BuiltinSpec {
  name: string
  args?: unknown
}

export interface BuiltinOptions {
  /** Builtins of your own, beside ours; the same name replaces. */
  builtins?: Readonly<Record<string, Builtin>>
  /** Where snapshots and large results are kept. */
  dataDir?: string
  /** Where builtins remember what they count. Default: in memory. */
  state?: StateStore
  /** Replaces parts of the world that builtins see. */
  kit?: Partial<BuiltinKit>
}

export function createBuiltinExecutor(options: BuiltinOptions = {}): Executor<BuiltinSpec> {
  const registry = options.builtins ? { ...ours, ...options.builtins } : ours
  const dataDir = options.dataDir ?? dataDirectory()
  const open = openCalls()
  let outside: Promise<Outside> | undefined
  const services: KitServices = {
    dataDir,
    state: options.state ?? memoryState(),
    outside: () => (outside ??= import('./kit/outside.ts').then(({ openOutside }) => openOutside())),
    calls: open,
    ...(options.kit === undefined ? {} : { override: options.kit }),
  }
  const calls = inProcess()
  const parsed = new WeakMap<BuiltinSpec, unknown>()

  return defineExecutor<BuiltinSpec>({
    type: 'builtin',
    doc: 'A hook that comes with Hookline, in this process, by name and arguments. See docs/builtins.md.',
    spec: z.strictObject({
      name: z.string().check(z.describe('Which one.')),
      args: z.optional(z.unknown().check(z.describe('Its arguments, by name.'))),
    }),
    pins: ({ args }) => programNamedIn(args),
    check: (spec, hook) => problemsOf(registry, spec, hook.event),
    // Builtins of a program's own say what they do like ours: the program vouches for them.
    withoutApproval(spec, hook) {
      const done = deedsOf(spec, hook.event)
      if (!onlyTightens(done)) return partOf(spec, hook.event)
      // What it allows does not count before an approval: so this is not the whole of it.
      return done.includes('allows') ? { name: spec.name } : {}
    },
    ownWords: (spec, hook) => !deedsOf(spec, hook.event).includes('quotes'),
    // Those that count or record run once for an event; those that store results do so after the call.
    leavesNoTrace: (spec, hook) =>
      eventRow(hook.event).asks === true &&
      onlyTightens(deedsOf(spec, hook.event)) &&
      registry[spec.name]?.once !== true,
    canaries(spec, hook) {
      const builtin = Object.hasOwn(registry, spec.name) ? registry[spec.name] : undefined
      return builtin && canariesOf(builtin, argsOf(builtin, spec), spec.args === undefined, hook.event)
    },
    contained: options.builtins === undefined && options.kit === undefined,
    run(spec, call) {
      const builtin = Object.hasOwn(registry, spec.name) ? registry[spec.name] : undefined
      const [problem] = builtin?.events.includes(call.event.name) ? [] : problemsOf(registry, spec, call.event.name)
      if (!builtin || problem) throw asFailure(problem)
      if (builtin.once && call.event.payload.rerun) return { kind: 'opinion', opinion: undefined }
      const kit = makeKit(call.unapproved ? `${spec.name} (not approved)` : spec.name, call, services)
      const answer = () => builtin.answer(call.event, argsOf(builtin, spec), kit)
      return withEnd(
        () => calls.ask(spec.name, answer, call),
        () => kit.end(),
      )
    },
    async close() {
      open.close()
      calls.close()
      ;(await outside)?.close()
    },
  })

  /** Everything, where nobody says or the arguments cannot be read. */
  function deedsOf(spec: BuiltinSpec, event: EventName): readonly Deed[] {
    const builtin = Object.hasOwn(registry, spec.name) ? registry[spec.name] : undefined
    const does = builtin?.events.includes(event) ? builtin.does : undefined
    if (!builtin || does === undefined) return deeds
    const read = validate(builtin.args, named(builtin, spec.args))
    if (!read.ok) return deeds
    return typeof does === 'function' ? does(read.value, event) : does
  }

  /** With fewer arguments it may only tighten. */
  function partOf(spec: BuiltinSpec, event: EventName): Partial<BuiltinSpec> | undefined {
    const builtin = Object.hasOwn(registry, spec.name) ? registry[spec.name] : undefined
    if (!builtin?.untilApproved || !builtin.events.includes(event)) return undefined
    const part = { args: builtin.untilApproved(argsOf(builtin, spec), event) }
    return onlyTightens(deedsOf({ ...spec, ...part }, event)) ? part : undefined
  }

  function argsOf(builtin: Builtin, spec: BuiltinSpec): unknown {
    if (parsed.has(spec)) return parsed.get(spec)
    const given = named(builtin, spec.args)
    if (builtin.args === noArgs && isRecord(given) && Object.keys(given).length === 0) return given
    const read = validate(builtin.args, given)
    if (!read.ok) throw asFailure(argProblems(builtin, spec.args)[0])
    parsed.set(spec, read.value)
    return read.value
  }
}

/** Several builtins run a program that is named in their arguments, whole or in words. */
function programNamedIn(args: unknown): readonly Pin[] {
  if (!isRecord(args)) return []
  const { command } = args
  const words = typeof command === 'string' ? command.split(/\s+/) : command
  if (!Array.isArray(words) || words.length === 0) return []
  return [{ words: words.map(String), instead: (copies) => ({ args: { ...args, command: copies } }) }]
}

/** Arguments by name, whichever way they were given. */
function named(builtin: Builtin, args: unknown): unknown {
  if (args === undefined || args === null) return {}
  if (!Array.isArray(args)) return args
  if (args.length === 0) return {}
  return builtin.fromList ? builtin.fromList(args.map(String)) : args
}

/** What is wrong with this use of a builtin. On an event it was not made for, it would silently do nothing. */
function problemsOf(registry: Readonly<Record<string, Builtin>>, spec: BuiltinSpec, event: EventName): Note[] {
  const builtin = Object.hasOwn(registry, spec.name) ? registry[spec.name] : undefined
  if (!builtin) {
    const names = Object.keys(registry)
    const fix = `${didYouMean(spec.name, names)} Known builtins: ${names.join(', ')}.`.trim()
    return [note('spec-invalid', { type: 'builtin', path: 'name', detail: `\`${spec.name}\` does not exist`, fix })]
  }
  if (builtin.events.includes(event)) return argProblems(builtin, spec.args)
  const detail = `\`${spec.name}\` is not for ${event}`
  return [
    note('spec-invalid', { type: 'builtin', path: 'name', detail, fix: `Use it on ${builtin.events.join(', ')}.` }),
  ]
}

function argProblems(builtin: Builtin, args: unknown): Note[] {
  const given = named(builtin, args)
  const read = validate(builtin.args, given)
  return (read.ok ? [] : read.problems).map(({ path, detail, fix, unknownKey }) => {
    const hint = unknownKey ? didYouMean(unknownKey.key, unknownKey.known) : ''
    return note('spec-invalid', {
      type: builtin.name,
      path: formatPath(['args', ...path]),
      detail,
      fix: `${hint} ${fix}`.trim(),
    })
  })
}

const asFailure = (problem: Note | undefined): HookFailure =>
  new HookFailure('spawn', problem?.message ?? '', problem?.remedy)

/**
 * The API of pydantic-deep's hooks, so that a port of its examples reads one for one:
 * `createHooks({ hooks: [Hook({ event: HookEvent.PRE_TOOL_USE, handler: safetyGate, matcher: 'execute' })] })`.
 * Fields of data keep their names (`tool_input`, `modified_args`). A hook before a tool runs again when a later one
 * changes the arguments that it has judged.
 * @module
 */
import { isAbsolute } from 'node:path'
import { securityDefaults } from '../builtins/index.ts'
import {
  asRun,
  type Call,
  didYouMean,
  type Event,
  type EventName,
  eventRow,
  HookFailure,
  HooklineError,
  hookDefaults,
  note,
} from '../core/index.ts'
import {
  decodeReply,
  encodeEvent,
  findTheirs,
  hookInput,
  type HookInput as Input,
  opinionOf,
  rowOf,
} from '../dialects/pydantic-deep/index.ts'
import { createCommandExecutor } from '../executors/command/index.ts'
import type { Asked, Handler } from '../executors/index.ts'
import type { CodeHook } from '../hooks/index.ts'

/** The ninth is in its code and not on its page. */
export const HookEvent = {
  PRE_TOOL_USE: 'pre_tool_use',
  POST_TOOL_USE: 'post_tool_use',
  POST_TOOL_USE_FAILURE: 'post_tool_use_failure',
  BEFORE_RUN: 'before_run',
  AFTER_RUN: 'after_run',
  RUN_ERROR: 'run_error',
  BEFORE_MODEL_REQUEST: 'before_model_request',
  AFTER_MODEL_REQUEST: 'after_model_request',
  MODEL_FALLBACK_TRIGGERED: 'model_fallback_triggered',
} as const
export type HookEvent = (typeof HookEvent)[keyof typeof HookEvent]

export const EXIT_ALLOW = 0
export const EXIT_DENY = 2

export type HookInput = Input

/** For trying a handler by itself. */
export function HookInput(fields: Partial<Input> & Pick<Input, 'event'>): Input {
  return { tool_name: '', tool_input: {}, tool_result: null, tool_error: null, ...fields }
}

export interface HookResult {
  allow: boolean
  reason: string | null
  modified_args: Record<string, unknown> | null
  modified_result: string | null
}

export function HookResult(fields: Partial<HookResult> = {}): HookResult {
  return { allow: true, reason: null, modified_args: null, modified_result: null, ...fields }
}

export type HookHandler = (hookInput: HookInput) => Partial<HookResult> | Promise<Partial<HookResult>>

export interface HookOptions {
  event: HookEvent
  /** Exactly one of the two. */
  command?: string
  handler?: HookHandler
  /** A regex found anywhere in the name of the tool; absent: all tools. Ignored where there is no tool. */
  matcher?: string | null
  /** Seconds. */
  timeout?: number
  background?: boolean
}

/** A hook as `createHooks({ hooks })` takes it. Hooks run in the order in which they are made. */
export function Hook(options: HookOptions): CodeHook {
  const { command, handler, matcher, timeout = 30, background = false } = options
  const event = findTheirs(options.event)
  if (!event) throw invalid('event', `is \`${options.event}\`, which pydantic-deep does not have`)
  if ((command === undefined) === (handler === undefined))
    throw invalid(
      'command',
      command === undefined ? 'or `handler` must be given' : 'and `handler` cannot both be given',
    )
  const run = command === undefined ? handled(handler as HookHandler) : commanded(command, timeout)
  const isTool = rowOf(event).tool
  const policy = command === undefined ? raising(event, background) : 'open'
  return {
    event,
    run,
    dialect: 'pydantic-deep',
    ...(isTool && typeof matcher === 'string' && matcher !== '' && { matcher: { tool: anywhere(matcher) } }),
    timeout,
    ...(background && { background }),
    ...(policy && { on_failure: policy }),
    stage: made++,
  }
}

/** Later hooks see what earlier ones have modified, so each is a stage of its own. */
let made = 0

/** The capability that dispatches hooks: these hooks, run in this order, whenever they were made. */
export function HooksCapability({ hooks }: { hooks: readonly CodeHook[] }): CodeHook[] {
  return hooks.map((hook, stage) => ({ ...hook, stage }))
}

/** Its document writes the options with underscores, and they are read so, too. */
export interface SecurityOptions {
  blockedCommands?: readonly string[]
  blockedWritePaths?: readonly string[]
  blockedReadPaths?: readonly string[]
  secretPatterns?: readonly string[]
  /** Absolute directories; what is written must be inside one of them. */
  allowedWriteRoots?: readonly string[]
  redactSecrets?: boolean
  /** `warn` lets everything through and tells what would have been denied. */
  mode?: 'deny' | 'warn'
  blocked_commands?: readonly string[]
  blocked_write_paths?: readonly string[]
  blocked_read_paths?: readonly string[]
  secret_patterns?: readonly string[]
  allowed_write_roots?: readonly string[]
  redact_secrets?: boolean
}

/** "Lists you pass replace the defaults — concatenate with the constants to keep them": they stand for our guards. */
export const DEFAULT_BLOCKED_COMMANDS: readonly string[] = securityDefaults.blocked_commands
export const DEFAULT_BLOCKED_WRITE_PATHS: readonly string[] = securityDefaults.blocked_write_paths
export const DEFAULT_BLOCKED_READ_PATHS: readonly string[] = securityDefaults.blocked_read_paths
export const DEFAULT_SECRET_PATTERNS: readonly string[] = securityDefaults.secret_patterns

/** The security preset, judged by our guards, which see more than patterns do; patterns of one's own are RE2. */
export function defaultSecurityHooks(given: SecurityOptions = {}): CodeHook[] {
  const options = readOptions(given)
  const { redactSecrets = true, mode = 'deny', allowedWriteRoots } = options
  for (const root of allowedWriteRoots ?? [])
    if (!isAbsolute(root)) throw invalid('allowedWriteRoots', `has \`${root}\`, which is not an absolute path`)
  const { blockedCommands = DEFAULT_BLOCKED_COMMANDS, blockedWritePaths = DEFAULT_BLOCKED_WRITE_PATHS } = options
  const { blockedReadPaths = DEFAULT_BLOCKED_READ_PATHS, secretPatterns = DEFAULT_SECRET_PATTERNS } = options
  const guard = {
    blocked_commands: [...blockedCommands],
    blocked_write_paths: [...blockedWritePaths],
    blocked_read_paths: [...blockedReadPaths],
    ...(allowedWriteRoots && { allowed_write_roots: [...allowedWriteRoots] }),
    mode,
  }
  const redaction = { secret_patterns: [...secretPatterns], marker: 'plain' }
  const replaced = blockedWritePaths.length > 0 && !blockedWritePaths.some((item) => item.startsWith('@'))
  return [
    preset('pre_tool_use', { type: 'builtin', name: 'security', args: guard }),
    ...(replaced ? [preset('pre_tool_use', refuseTraversal(mode))] : []),
    ...(redactSecrets && secretPatterns.length > 0
      ? [preset('post_tool_use', { type: 'builtin', name: 'security', args: redaction })]
      : []),
  ]
}
/** As its document spells it. */
export const defaultSecurityHook = defaultSecurityHooks
export const default_security_hook = defaultSecurityHooks

const optionNames = [
  ...['blockedCommands', 'blockedWritePaths', 'blockedReadPaths', 'secretPatterns'],
  ...['allowedWriteRoots', 'redactSecrets', 'mode'],
] as const

/** Each option under one name. One that is not known would leave open what somebody meant to close, so it is refused. */
function readOptions(given: SecurityOptions): Pick<SecurityOptions, (typeof optionNames)[number]> {
  const options: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    const name = key.replace(/_(\w)/g, (_, next: string) => next.toUpperCase())
    if (!optionNames.includes(name as never))
      throw invalid(key, `is no option.${didYouMean(name, optionNames)} There are: ${optionNames.join(', ')}`)
    if (value === undefined || value === null) continue
    if (Object.hasOwn(options, name)) throw invalid(key, `is given twice, as \`${name}\` and with underscores`)
    options[name] = value
  }
  return options
}

const preset = (event: EventName, run: CodeHook['run']): CodeHook => ({ event, run, stage: made++ })

/** Climbing with `..` is no entry of the list of paths: it stays refused when the list is replaced. */
function refuseTraversal(mode: 'deny' | 'warn'): Handler<never> {
  const answer: Handler<'pre_tool_use'> = ({ payload: { tool_name, tool_input } }) => {
    if (!/write|edit/.test(tool_name)) return undefined
    const paths = [tool_input['path'], tool_input['file_path']].filter((path) => typeof path === 'string')
    const climbing = paths.find((path) => /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path))
    if (climbing === undefined) return undefined
    const reason = `"${climbing}" climbs out of its directory with \`..\`.`
    return mode === 'deny'
      ? { decision: { ruling: 'deny', reason } }
      : { message: [`security would have refused ${tool_name}: ${reason}`] }
  }
  return answer as Handler<never>
}

/** What a handler throws ends the run there; here it denies what can be denied. */
function raising(event: EventName, background: boolean): 'closed' | undefined {
  return eventRow(event).effects.includes('decision') && !background ? 'closed' : undefined
}

function handled(handler: HookHandler): Handler<never> {
  const answer = async ({ event, payload }: Asked) =>
    opinionOf(await handler(hookInput({ name: event, payload })), event, [])
  return answer as unknown as Handler<never>
}

/** Processes end with the hook that started them, so that there is nothing to close. */
const programs = createCommandExecutor({ forkServerAbove: Number.POSITIVE_INFINITY })

/** Through the executor for commands, in the language of pydantic-deep. */
function commanded(command: string, timeout: number): Handler<never> {
  const answer = async ({ event: name, payload, signal, hook: { id } }: Asked) => {
    const event: Event = { name, payload, depth: 0, synthetic: false }
    const run = asRun(command)
    const hook = { ...hookDefaults, id, event: name, dialect: 'pydantic-deep', run, origin: { layer: 'code' } } as const
    const call: Call = {
      hook,
      event,
      request: () => encodeEvent(event),
      signal,
      get aborted() {
        return signal.aborted
      },
      remainingMs: () => timeout * 1_000,
      note() {},
      measure() {},
    }
    const reply = await programs.run({ command }, call)
    if (reply.kind === 'opinion') return reply.opinion
    const decoded = decodeReply(reply, { event, hook })
    if (decoded.ok) return decoded.opinion
    const { kind, detail, remedy } = decoded.failure
    throw new HookFailure(kind, detail, remedy)
  }
  return answer as unknown as Handler<never>
}

/** Our matchers test whole names. */
const anywhere = (matcher: string) => `(?s:.*)(?:${matcher})(?s:.*)`

function invalid(path: string, detail: string): HooklineError {
  return new HooklineError(
    note('spec-invalid', { type: 'pydantic-deep', path, detail, fix: 'See the page "Hooks" of pydantic-deep.' }),
  )
}

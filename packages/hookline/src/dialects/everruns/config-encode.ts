import { type Decoded, eventRow, type FailurePolicy, type Hook, type Note } from '../../core/index.ts'
import { quoteWords } from '../../shell/index.ts'
import { type Lost, noteLost, noteLostTraits, usualAdvice } from '../common/encode.ts'
import { encodeTest } from './matcher.ts'
import { rowOf, theirNames } from './names.ts'
import { policies, timeouts } from './spec.ts'

/** An agent with nothing but capabilities that bring hooks, in the order of the chain; `user_hooks` holds the muted ids. */
export function encodeConfig(hooks: readonly Hook[]): Decoded<unknown> {
  const notes: Note[] = []
  const capabilities: { ref: string; config: { hooks: unknown[]; disabled_contributions?: string[] } }[] = []
  const written: Hook[] = []
  for (const hook of inOrder(hooks)) {
    const lost = noteLost(notes, 'everruns', hook.id)
    const spec = encodeHook(hook, lost)
    if (!spec) continue
    written.push(hook)
    const ref = refOf(hook.id)
    if (capabilities.at(-1)?.ref !== ref) capabilities.push({ ref, config: { hooks: [] } })
    capabilities.at(-1)!.config.hooks.push(spec)
  }
  const muted = written.filter((hook) => !hook.enabled).map((hook) => idOf(hook.id))
  if (muted.length > 0 || capabilities.length === 0) {
    const user = capabilities.find(({ ref }) => ref === 'user_hooks') ?? { ref: 'user_hooks', config: { hooks: [] } }
    if (!capabilities.includes(user)) capabilities.push(user)
    if (muted.length > 0) user.config = { ...user.config, disabled_contributions: muted }
  }
  return { value: { capabilities }, notes }
}

/** Hooks run in the order of the file there. */
const inOrder = (hooks: readonly Hook[]) => hooks.toSorted((one, other) => one.stage - other.stage)

/** Ids without a capability in front are the user's. */
const capabilityOf = (id: string) => (id.includes(':') ? id.slice(0, id.indexOf(':')) : 'user')
const refOf = (id: string) => (capabilityOf(id) === 'user' ? 'user_hooks' : capabilityOf(id))
const nameOf = (id: string) => (id.includes(':') ? id.slice(id.indexOf(':') + 1) : id)
const idOf = (id: string) => `${capabilityOf(id)}:${nameOf(id)}`

function encodeHook(hook: Hook, lost: Lost): object | undefined {
  if (theirNames[hook.event] === undefined) {
    lost(`The event ${hook.event}`, 'The hook was left out.')
    return undefined
  }
  const command = encodeRun(hook, lost)
  if (command === undefined) return undefined
  mention(hook, lost)
  const matcher = encodeMatcher(hook, lost)
  const policy = policyOf(hook)
  const { shortest, usual, longest } = timeouts
  const timeout = Math.min(longest, Math.max(shortest, Math.round(hook.timeoutMs)))
  if (timeout !== hook.timeoutMs) lost(`A time-out of ${hook.timeoutMs} ms`, `It became ${timeout} ms.`)
  return {
    id: nameOf(hook.id),
    event: hook.event,
    ...(matcher && { matcher }),
    executor: { type: 'bash', command, ...(Object.keys(hook.env).length > 0 && { env: hook.env }) },
    ...(timeout !== usual && { timeout_ms: timeout }),
    ...(policy !== 'warn' && { on_error: Object.keys(policies).find((name) => policies[name] === policy) }),
    ...(hook.description !== undefined && { description: hook.description }),
  }
}

function encodeRun({ run }: Hook, lost: Lost): string | undefined {
  const { type, command, args } = run
  if ((type !== 'sandbox' && type !== 'command') || typeof command !== 'string') {
    lost(`A hook of type \`${type}\``, 'The hook was left out; wrap it in a shell script.')
    return undefined
  }
  if (run['mounts'] || run['network'] || run['files'])
    lost('Its mounts, files or network', 'It sees the files of the session there, and no others.')
  if (type === 'command') lost('Running on the host', 'It runs in the sandbox there, without programs of the host.')
  return Array.isArray(args) ? quoteWords([command, ...args.map(String)]) : command
}

function encodeMatcher({ matcher }: Hook, lost: Lost): Record<string, string> | undefined {
  const fields: Record<string, string> = {}
  for (const test of matcher) {
    const encoded = encodeTest(test)
    const isTaken = encoded && Object.keys(encoded).some((key) => Object.hasOwn(fields, key))
    if (encoded && !isTaken) Object.assign(fields, encoded)
    else lost('A test of its matcher', 'The hook runs more often there.')
  }
  return Object.keys(fields).length > 0 ? fields : undefined
}

/** Absent, the event decides; there, `warn` is the default. */
function policyOf(hook: Hook): FailurePolicy {
  const policy = hook.onFailure ?? (eventRow(hook.event).failure === 'closed' ? 'closed' : 'warn')
  return policy === 'closed' && !rowOf(hook.event).blocks ? 'warn' : policy
}

/** What a hook can be here, and cannot be there. */
function mention(hook: Hook, lost: Lost): void {
  const { shadow, background, unlessRuled, topLevelOnly, workingDir } = usualAdvice
  noteLostTraits(hook, 'everruns', lost, {
    language: 'Let the script read `$EVERRUNS_HOOK_PAYLOAD_JSON` and answer as Everruns expects.',
    ...{ shadow, background, unlessRuled, topLevelOnly, workingDir },
  })
  if (hook.onFailure === 'closed' && !rowOf(hook.event).blocks)
    lost('Failing closed', `${hook.event} cannot be blocked there.`)
}

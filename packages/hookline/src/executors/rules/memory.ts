import { type Event, type Eventually, isThenable, type StateStore, statePlace } from '../../core/index.ts'
import { findSecrets } from '../../guards/index.ts'
import { type Action, type CompiledRules, type Look, touchesAction } from '../../rules/index.ts'

/** What rules wait for (`after`) that has happened in a session: by the key of the condition, which calls did it. */
export interface Memory {
  /** What had happened before this call. */
  recall(event: Event): Eventually<(key: string) => boolean>
  /** Takes down what this call does, or did. */
  record(event: Event, keys: readonly string[]): Eventually<void>
}

/** By key, the call that did it first. */
type Kept = Record<string, string>

const callOf = ({ payload }: Event): string => String((payload as Record<string, unknown>)['tool_use_id'] ?? '')

export function openMemory(state: StateStore): Memory {
  const place = (event: Event) => statePlace(event, 'rules', 'after')
  return {
    recall(event) {
      const before = (kept: unknown) => (key: string) => {
        const by = (kept as Kept | undefined)?.[key]
        return by !== undefined && (by === '' || by !== callOf(event))
      }
      const found = state.read(place(event))
      return isThenable<unknown>(found) ? found.then(before) : before(found)
    },
    record(event, keys) {
      const changed = state.update(place(event), (current) => {
        const kept = (current ?? {}) as Kept
        const added = keys.filter((key) => kept[key] === undefined)
        return added.length === 0
          ? current
          : { ...kept, ...Object.fromEntries(added.map((key) => [key, callOf(event)])) }
      })
      return isThenable<unknown>(changed) ? changed.then(() => {}) : undefined
    },
  }
}

/** Which conditions of these rules this call fulfils. `result`: what the tool gave back, where it has. */
export function fulfilled(
  { rules }: CompiledRules,
  actions: readonly Action[],
  secrets: CompiledRules,
  look: Look,
  result: unknown,
): string[] {
  const keys = new Set<string>()
  for (const { after } of rules) {
    if (!after || keys.has(after.key)) continue
    const { target, key } = after
    const happens =
      target === 'web'
        ? actions.some(({ kind }) => kind === 'fetch')
        : target === 'secret'
          ? readsSecret(actions, secrets, look) || holdsSecret(result)
          : actions.some((action) => touchesAction(target, action, look) > 0)
    if (happens) keys.add(key)
  }
  return [...keys]
}

const readsSecret = (actions: readonly Action[], { rules }: CompiledRules, look: Look): boolean =>
  actions.some(
    (action) => action.kind === 'read' && rules.some(({ target }) => touchesAction(target, action, look) > 0),
  )

const holdsSecret = (result: unknown): boolean =>
  result !== undefined && findSecrets(typeof result === 'string' ? result : (JSON.stringify(result) ?? '')).length > 0

/** Files that hold secrets, wherever they are. */
export const secretFiles = [
  '**/.env',
  '**/.env.*',
  '~/.ssh/**',
  '~/.aws/credentials',
  '~/.aws/config',
  '~/.config/gcloud/**',
  '~/.kube/config',
  '~/.docker/config.json',
  '~/.netrc',
  '~/.npmrc',
  '~/.pypirc',
  '~/.git-credentials',
  '~/.gnupg/**',
  '**/*.pem',
  '**/id_rsa',
  '**/id_ed25519',
]

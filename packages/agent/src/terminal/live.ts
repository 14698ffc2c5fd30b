import { builtins, createRedactor, type EventName, type Hook, type Hooks, type Redactor } from 'hookline/internal'
import type { Happening, Watch } from '../core/index.ts'

/** What a tool prints while it runs, as far as it may be seen before hooks have judged the result. */
export interface Live {
  watch: Watch
  /** An event is about to be raised. */
  beforeRaise(event: EventName, payload: Readonly<Record<string, unknown>>): void
}

type Progress = Extract<Happening, { type: 'tool_progress' }>

/** The events whose hooks may change a result before it is read. */
const judges = ['tool_response_transform', 'post_tool_use'] as const

/**
 * All output passes the secrets guard. Where a hook on the result could remove more than that guard finds, output is
 * held back, and only that fact is shown. So nothing is shown that hooks would remove, but for values of the user's own
 * secrets files, which are kept from the model and not from the user.
 */
export function liveOutput(hooks: Pick<Hooks, 'plan'>, watch: Watch): Live {
  const running = new Map<string, Guarded | 'held'>()

  function isHeld(payload: Readonly<Record<string, unknown>>): boolean {
    const planned = judges.flatMap((event) =>
      hooks.plan(event, { ...payload, tool_error: false } as never).stages.flat(),
    )
    return planned.some(({ hook }) => couldHide(hook))
  }

  function progress(happening: Progress, key: string): void {
    const output = running.get(key)
    if (output === 'held') {
      // Once is enough to say so.
      running.delete(key)
      watch({ ...happening, text: '', held: true })
    } else output?.push(happening.text, (text) => watch({ ...happening, text }))
  }

  function result(happening: Extract<Happening, { type: 'tool_result' }>, key: string): void {
    const output = running.get(key)
    running.delete(key)
    const { type: _, tool: _tool, content: _content, error: _error, ...about } = happening
    const rest = output === undefined || output === 'held' ? '' : output.end()
    if (rest !== '') watch({ ...about, type: 'tool_progress', text: rest })
    watch(happening)
  }

  return {
    beforeRaise(event, payload) {
      if (event !== 'on_tool_approval_decision' || payload['approval_decision'] !== 'allow') return
      running.set(keyOf(payload['session_id'], payload['tool_use_id']), isHeld(payload) ? 'held' : guarded())
    },
    watch(happening) {
      if (happening.type === 'tool_progress') progress(happening, keyOf(happening.session_id, happening.call_id))
      else if (happening.type === 'tool_result') result(happening, keyOf(happening.session_id, happening.call_id))
      else watch(happening)
    },
  }
}

const keyOf = (session: unknown, call: unknown): string => `${session} ${call}`

/** A hook that only watches changes nothing; of built-in ones it is known. */
function couldHide({ mode, background, run }: Hook): boolean {
  if (mode === 'shadow' || background) return false
  return run.type !== 'builtin' || builtins[String(run['name'])]?.liveOutput !== true
}

interface Guarded {
  push(text: string, show: (text: string) => void): void
  end(): string
}

const quietMs = 300

/** The text without its secrets. What the guard has not decided yet, because more could follow, is shown when nothing does. */
function guarded(): Guarded {
  let redactor: Redactor = createRedactor()
  let quiet: NodeJS.Timeout | undefined

  function settle(show: (text: string) => void): void {
    if (!couldStand(redactor.undecided())) return
    const text = redactor.end()
    redactor = createRedactor()
    if (text !== '') show(text)
  }

  return {
    push(text, show) {
      clearTimeout(quiet)
      const decided = redactor.push(text)
      if (decided !== '') show(decided)
      quiet = setTimeout(settle, quietMs, show).unref()
    },
    end() {
      clearTimeout(quiet)
      return redactor.end()
    },
  }
}

/** Whole lines that are neither the beginning of a block of a key nor as many words as the shortest seed phrase has. */
const couldStand = (text: string): boolean =>
  text.endsWith('\n') && !/-----BEGIN|PRIVATE KEY|\[\s*\d/.test(text) && (text.match(/[a-z]+/gi)?.length ?? 0) < 12

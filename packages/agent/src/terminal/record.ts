import type { Hook, Verdict } from 'hookline/internal'
import type { Happening } from '../core/index.ts'

/** What `/why` and `/stats` tell of a session: its last decision, and how often and how long everything ran. */
export interface RunRecord {
  watch(happening: Happening): void
  hooks(verdict: Verdict, before: Payload, hooks: readonly Hook[], milliseconds: number): void
  readonly last: Decision | undefined
  readonly began: number
  readonly prompts: number
  readonly tools: ReadonlyMap<string, ToolCounts>
  readonly ran: ReadonlyMap<string, HookCounts>
  /** Milliseconds that events took with all their hooks. */
  readonly waited: number
}

type Payload = Readonly<Record<string, unknown>>

/** A dispatch in which hooks decided or rewrote something, and the hooks there were. */
export interface Decision {
  verdict: Verdict
  before: Payload
  hooks: readonly Hook[]
  milliseconds: number
}

export interface ToolCounts {
  calls: number
  blocked: number
  failed: number
  milliseconds: number
}

export interface HookCounts {
  times: number
  blocked: number
  asked: number
  rewrote: number
  failed: number
  milliseconds: number
  longest: number
}

export function keepRecord(now: () => number = Date.now): RunRecord {
  const [tools, ran] = [new Map<string, ToolCounts>(), new Map<string, HookCounts>()]
  const open = new Map<string, { tool: string; since: number | undefined }>()
  const began = now()
  let last: Decision | undefined
  let [prompts, waited] = [0, 0]
  const toolOf = (name: string) => entry(tools, name, { calls: 0, blocked: 0, failed: 0, milliseconds: 0 })

  return {
    began,
    tools,
    ran,
    get last() {
      return last
    },
    get prompts() {
      return prompts
    },
    get waited() {
      return waited
    },
    watch(happening) {
      const { type } = happening
      if (type === 'prompt' && happening.kind !== 'redo' && !happening.sub_agent) prompts += 1
      if (type === 'tool_call') {
        open.set(happening.call.id, { tool: happening.call.name, since: undefined })
        toolOf(happening.call.name).calls += 1
      }
      if (type === 'approval') {
        const call = open.get(happening.call_id)
        if (call && happening.decision === 'allow') call.since = now()
        else if (call) toolOf(call.tool).blocked += 1
      }
      if (type === 'tool_result') {
        const { since } = open.get(happening.call_id) ?? {}
        open.delete(happening.call_id)
        if (since === undefined) return
        toolOf(happening.tool).milliseconds += now() - since
        if (happening.error) toolOf(happening.tool).failed += 1
      }
    },
    hooks(verdict, before, hooks, milliseconds) {
      const reports = verdict.reports.filter(({ asked }) => asked)
      if (reports.length === 0) return
      waited += milliseconds
      if (verdict.decision || verdict.halt || verdict.rewrite) last = { verdict, before, hooks, milliseconds }
      for (const { hook, outcome, opinion, failure, durationMs = 0, times = 1 } of reports) {
        const counts = entry(ran, hook, noRuns())
        counts.times += times
        counts.milliseconds += durationMs
        counts.longest = Math.max(counts.longest, durationMs)
        if (outcome === 'deny' || outcome === 'halt') counts.blocked += 1
        if (outcome === 'ask') counts.asked += 1
        if (opinion?.rewrite) counts.rewrote += 1
        if (failure) counts.failed += 1
      }
    },
  }
}

const noRuns = (): HookCounts => ({
  ...{ times: 0, blocked: 0, asked: 0, rewrote: 0, failed: 0 },
  ...{ milliseconds: 0, longest: 0 },
})

function entry<T>(map: Map<string, T>, key: string, fresh: T): T {
  const known = map.get(key) ?? fresh
  map.set(key, known)
  return known
}

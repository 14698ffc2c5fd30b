import type { RuleCondition } from '../core/index.ts'
import { both, either, type Glob, type Match, matchesSlot, matchesText, maybe, no, wordGlob, yes } from './glob.ts'
import type { Action, Slot } from './types.ts'

/** What rules may ask about the moment of a call. What is undefined is not known. */
export interface Moment {
  agent: string | undefined
  host: string
  permissionMode: string
  subagent: boolean
  principal: string | undefined
  tenant: string | undefined
  now: Date
  /** Around the directory of the call; undefined outside a repository. */
  git: Git | undefined
}

export interface Git {
  branch?: string | undefined
  remotes?: Readonly<Record<string, string>>
  dirty?: boolean | undefined
}

/** `strictly`, for what loosens: of several branches, all. */
export type Condition = (moment: Moment, action: Action | undefined, strictly?: boolean) => Match

export type ParsedCondition = { ok: true; holds: Condition } | { ok: false; detail: string; fix: string }

/** All but `after`, which is about what was before. */
export function parseCondition({ after: _, ...when }: RuleCondition): ParsedCondition {
  const conditions: Condition[] = []
  for (const [key, wanted] of Object.entries(when)) {
    if (wanted === undefined) continue
    const made = (makers[key as keyof typeof makers] as (wanted: never) => Condition | Window[])(wanted as never)
    if (typeof made === 'function') conditions.push(made)
    else {
      const broken = made.indexOf(undefined)
      if (broken >= 0) return { ok: false, ...badTime([wanted as string | readonly string[]].flat()[broken] as string) }
      conditions.push(({ now }) => surely(made.some((window) => window?.(now))))
    }
  }
  return {
    ok: true,
    holds: (moment, action, strictly) =>
      conditions.reduce<Match>(
        (found, holds) => (found === no ? no : both(found, holds(moment, action, strictly))),
        yes,
      ),
  }
}

type Patterns = string | readonly string[]
type Window = ((now: Date) => boolean) | undefined

const surely = (holds: boolean): Match => (holds ? yes : no)
const globsOf = (patterns: Patterns): Glob[] => [patterns].flat().map((each) => wordGlob(each, true))
const named = (patterns: Patterns, find: (moment: Moment) => string | undefined): Condition => {
  const globs = globsOf(patterns)
  return (moment) => {
    const text = find(moment)
    return text === undefined ? maybe : surely(globs.some((glob) => matchesText(glob, text)))
  }
}

const makers = {
  // The agent that no host names is the top-level one.
  agent: (wanted: Patterns) => named(wanted, ({ agent, subagent }) => agent ?? (subagent ? undefined : 'main')),
  host: (wanted: Patterns) => named(wanted, ({ host }) => host),
  permission_mode: (wanted: Patterns) => named(wanted, ({ permissionMode }) => permissionMode),
  principal: (wanted: Patterns) => named(wanted, ({ principal }) => principal),
  tenant: (wanted: Patterns) => named(wanted, ({ tenant }) => tenant),
  subagent: (wanted: boolean) => (moment: Moment) => surely(moment.subagent === wanted),
  dirty: (wanted: boolean) => (moment: Moment) => {
    if (!moment.git) return no
    return moment.git.dirty === undefined ? maybe : surely(moment.git.dirty === wanted)
  },
  branch(wanted: Patterns): Condition {
    const globs = globsOf(wanted)
    return ({ git }, action, strictly) => {
      const changed = action?.kind === 'run' ? action.branches : undefined
      if (changed && !(strictly && changed.length === 0))
        return strictly ? allOf(globs, changed) : anyOf(globs, changed)
      if (!git) return no
      return git.branch === undefined ? maybe : surely(globs.some((glob) => matchesText(glob, git.branch as string)))
    }
  },
  remote(wanted: Patterns): Condition {
    const globs = globsOf(wanted)
    return ({ git }) => {
      if (!git) return no
      if (git.remotes === undefined) return maybe
      return surely(Object.values(git.remotes).some((url) => globs.some((glob) => matchesText(glob, url))))
    }
  },
  time: (wanted: Patterns): Window[] => [wanted].flat().map(windowOf),
}

const allOf = (globs: readonly Glob[], slots: readonly Slot[]): Match =>
  slots.reduce<Match>((found, slot) => both(found, anyOf(globs, [slot])), yes)

const anyOf = (globs: readonly Glob[], slots: readonly Slot[]): Match =>
  slots.reduce<Match>(
    (found, slot) => globs.reduce<Match>((best, glob) => either(best, matchesSlot(glob, slot)), found),
    no,
  )

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const clock = /^(?:([a-z]{3})(?:-([a-z]{3}))?\s*)?(?:(\d{1,2}):(\d\d)-(\d{1,2}):(\d\d))?$/i

/** `22:00-06:00` goes past midnight; with days, the night belongs to the day on which it begins. */
function windowOf(text: string): Window {
  const found = text.trim() === '' ? null : clock.exec(text.trim())
  if (!found) return undefined
  const [, first, last = first, ...times] = found
  const [from, to] = [first, last].map((day) => (day === undefined ? -1 : days.indexOf(day.toLowerCase())))
  if (from === undefined || to === undefined || (first !== undefined && (from < 0 || to < 0))) return undefined
  const numbers = times.map(Number) as [number, number, number, number]
  const hasTimes = times[0] !== undefined
  if (hasTimes && (numbers[0] > 24 || numbers[2] > 24 || numbers[1] > 59 || numbers[3] > 59)) return undefined
  const [begin, end] = hasTimes ? [numbers[0] * 60 + numbers[1], numbers[2] * 60 + numbers[3]] : [0, 24 * 60]
  const onDay = (day: number) =>
    first === undefined || (from <= to ? day >= from && day <= to : day >= from || day <= to)
  return (now) => {
    const [day, minute] = [now.getDay(), now.getHours() * 60 + now.getMinutes()]
    if (begin < end) return onDay(day) && minute >= begin && minute < end
    return (onDay(day) && minute >= begin) || (onDay((day + 6) % 7) && minute < end)
  }
}

const badTime = (text: string) => ({
  detail: `\`${text}\` is no time of day`,
  fix: 'Write `22:00-06:00`, `mon-fri` or `mon-fri 09:00-17:00`.',
})

/** The end of the last day of a date; undefined when it is none. */
export function endOf(until: string): number | undefined {
  const date = /^(\d{4})-(\d\d)-(\d\d)$/.exec(until.trim())
  if (!date) {
    const at = /^\d{4}-\d\d-\d\dT/.test(until.trim()) ? Date.parse(until) : Number.NaN
    return Number.isNaN(at) ? undefined : at
  }
  const [year, month, day] = date.slice(1).map(Number) as [number, number, number]
  const end = new Date(year, month - 1, day + 1)
  return new Date(year, month - 1, day).getDate() === day && month <= 12 ? end.getTime() : undefined
}

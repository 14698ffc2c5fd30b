import { now } from '../state.ts'
import type { Mark } from '../types.ts'

/** Every mark has a sign and a word: no colour means anything alone. */
export const marks: Record<Mark, { sign: string; word: string }> = {
  blocked: { sign: '✗', word: 'blocked' },
  asked: { sign: '?', word: 'asked' },
  allowed: { sign: '✓', word: 'allowed' },
  rewritten: { sign: '~', word: 'rewritten' },
  failed: { sign: '!', word: 'failed open' },
  quiet: { sign: '·', word: 'nothing against it' },
}

export function Sign({ mark }: { mark: Mark }) {
  const { sign, word } = marks[mark]
  return (
    <span class={`sign ${mark}`} role="img" aria-label={word} title={word}>
      {sign}
    </span>
  )
}

const sameDay = (one: Date, other: Date) =>
  one.getDate() === other.getDate() && one.getMonth() === other.getMonth() && one.getFullYear() === other.getFullYear()
const two = (number: number) => String(number).padStart(2, '0')

/** As it is here; to the millisecond for whoever points at it. */
export function Time({ at }: { at: string }) {
  const date = new Date(at)
  const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`
  const isToday = sameDay(date, new Date())
  return <Exact at={at} shown={isToday ? `${minutes}:${two(date.getSeconds())}` : `${two(date.getMonth() + 1)}-${two(date.getDate())} ${minutes}`} />
}

/** How long ago it was. */
export function Ago({ at }: { at: string }) {
  const ms = now.value - Date.parse(at)
  return ms < 86_400_000 ? <Exact at={at} shown={ms < 1_500 ? 'now' : `${lasting(ms)} ago`} /> : <Time at={at} />
}

/** Made once: a list makes a hundred of them in a frame. */
const exactly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** A time in any words; the time itself, local and exact, for whoever points at it. */
export function Exact({ at, shown }: { at: string; shown: string }) {
  return (
    <time dateTime={at} title={`${exactly.format(new Date(at))} (${at})`}>
      {shown}
    </time>
  )
}

export const millis = (ms: number | null | undefined): string =>
  ms == null ? '' : ms >= 120_000 ? lasting(ms) : ms >= 1_000 ? `${(ms / 1000).toFixed(1)} s` : ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`

export const baseName = (path: string | null): string => path?.split('/').filter(Boolean).at(-1) ?? ''

/** How long until then, or since then, in whole seconds, minutes or hours. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

export function Empty({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <div>{children}</div>
    </div>
  )
}

export function Loading({ rows = 8 }: { rows?: number }) {
  return (
    <div class="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} class="bone" />
      ))}
    </div>
  )
}

import { computed, signal } from '@preact/signals'
import { call, dropProof, follow, get, keepProof, type Problem, Refused } from './api.ts'
import type { Answered, Decision, Question } from './types.ts'

/** Who comes back from an identity provider brings what shows that they are a person; browsers send it to nobody. */
const brought = /^#proof=(.+)$/.exec(location.hash)?.[1]
if (brought !== undefined) {
  keepProof(brought)
  history.replaceState(null, '', location.pathname + location.search)
}

/** Where the page is: the address says it, so that it can be shared and gone back to. */
export const place = signal(new URL(location.href))
addEventListener('popstate', () => {
  place.value = new URL(location.href)
})

// A link that is opened where the page is open already changes nothing but what is behind `#`: browsers would leave the page as it is.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#sign-in=')) location.reload()
})

export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  place.value = new URL(location.href)
}

/** The same address with these parameters changed; null takes one away. */
export function withParams(changes: Readonly<Record<string, string | null>>): string {
  const url = new URL(place.value)
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  return url.pathname + url.search
}

export const param = (name: string): string => place.value.searchParams.get(name) ?? ''

export const me = signal<Answered<'me'> | undefined>(undefined)
/** Undefined: not known yet. Who comes with a link signs in with it, whoever was here before. */
export const signedIn = signal<boolean | undefined>(location.hash.startsWith('#sign-in=') ? false : undefined)
export const live = signal(false)
/** What went wrong last, for the line at the bottom. */
export const notice = signal<{ text: string; remedy?: string; bad: boolean } | undefined>(undefined)

export const questions = signal<Question[]>([])
export const connected = signal(true)
export const waiting = computed(() => questions.value.length)
/** Counts when an answer has changed something that lists show. */
export const settledCount = signal(0)
/** Counts when somebody has changed a rule or an approval. */
export const rulesChanged = signal(0)
/** Counts when a session of this server begins, ends, or comes to the end of a turn. */
export const sessionsChanged = signal(0)
export const stats = signal<Answered<'headline'> | undefined>(undefined)
/** Counts, at most once a second, when something has happened that figures depend on. */
export const countedAgain = signal(0)
/** Decisions that have come since the page was opened, the newest last. */
export const arrived = signal<Decision[]>([])
/** The time, once a second, for whatever counts down. */
export const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, 1_000)

export function tell(text: string): void {
  notice.value = { text, bad: false }
}

/** What is wrong and what to do; signs out where that is what is wrong. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof Refused)) return { title: String(error), status: 0, code: '', remedy: 'Reload the page.' }
  if (error.problem.status === 401) signOutHere()
  return error.problem
}

/** Shows it, in the line at the bottom. */
export function fail(error: unknown): void {
  const { title, remedy, status } = problemOf(error)
  if (status !== 401) notice.value = { text: title, remedy, bad: true }
}

export async function loadMe(): Promise<void> {
  try {
    me.value = await get<Answered<'me'>>('/api/me')
    signedIn.value = true
    // First of all: while it follows, questions wait for whoever sits here.
    startFollowing()
    await Promise.all([loadQuestions(), loadStats()])
  } catch (error) {
    fail(error)
  }
}

export async function loadQuestions(): Promise<void> {
  const found = await get<Answered<'listQuestions'>>('/api/questions')
  questions.value = found.questions
  connected.value = found.connected
}

export const loadStats = async (): Promise<void> => {
  stats.value = await get<Answered<'headline'>>('/api/stats/headline')
}

export async function signOut(): Promise<void> {
  await call('POST', '/api/sign-out').catch(() => {})
  signOutHere()
}

function signOutHere(): void {
  dropProof()
  me.value = undefined
  signedIn.value = false
}

let following = false
const mostArrived = 5_000
function startFollowing(): void {
  if (following) return
  following = true
  void follow(
    '/api/events?attended=true&types=decision,question.*,rules.*,session.*,turn.*',
    ({ type, data }) => {
      if (type === 'signed-out') signOutHere()
      if (type === 'decision') arrived.value = [...arrived.value, data as Decision].slice(-mostArrived)
      if (type === 'rules.changed') rulesChanged.value++
      if (/^(?:session|turn)\./.test(type)) sessionsChanged.value++
      if (type.startsWith('question.')) {
        settledCount.value++
        loadQuestions().catch(fail)
      }
      countSoon()
    },
    (isLive) => {
      live.value = isLive
      if (isLive) loadQuestions().catch(fail)
    },
  )
}

let counting = false
/** Whatever comes within a second is counted once. */
function countSoon(): void {
  if (counting) return
  counting = true
  setTimeout(() => {
    counting = false
    countedAgain.value++
    loadStats().catch(fail)
  }, 1_000)
}

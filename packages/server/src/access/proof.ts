import { randomBytes } from 'node:crypto'
import type { Desk, PagePerson } from 'hookline/internal'
import { HooklineError } from 'hookline/internal/start'
import { digestOf } from '../digest.ts'
import { Refusal, refuse } from '../http/problem.ts'
import type { Who } from './access.ts'

/** For how long somebody who has shown to be a person need not do so again, in the same page. */
const provenMs = 15 * 60_000
/** So many wrong answers are taken in that time, whoever gives them: more is no person who mistypes. */
const mostWrong = 5

/** What the page asks for; or, once proven, what it sends along from now on. */
export interface Asked {
  proven: boolean
  key?: string
  /** What is to be typed, and whether nobody may see it. */
  question?: string
  secret?: boolean
  /** Where to sign in again instead: the identity provider vouches for them. */
  sign_in?: string
}

/**
 * Who has shown to be a person. It is known in memory alone: no file that a program could write makes a person. And it is
 * the page that is proven, by a key that only this page has: a cookie goes to every server on this machine that the browser
 * opens, whatever its port.
 */
export interface Proofs {
  isProven(who: Who): boolean
  /** Throws unless they are. */
  need(who: Who): void
  /** Opening the link is as good as typing a code, where nobody but the person can have read it. Gives back the key. */
  signedIn(who: Who): Promise<string | undefined>
  /** An identity provider has just seen them sign in. Gives back the key. */
  vouch(who: Who): string
  begin(who: Who): Promise<Asked>
  give(who: Who, typed: string): Promise<Asked>
}

interface Running {
  confirmed: Promise<boolean>
  asked: Promise<Asked>
  type(text: string): void
}

/** Who can show to be a person, and how; it throws where nobody can. */
export type FindPerson = () => PagePerson | Promise<PagePerson>

/** Without `person`, this server knows no person. */
export function openProofs(
  person: FindPerson | undefined,
  hasPassphrase: () => boolean | Promise<boolean>,
  now = () => Date.now(),
): Proofs {
  const proven = new Map<string, { who: string; until: number }>()
  const running = new Map<string, Running>()
  let wrong: number[] = []

  const isProven = ({ id, kind, proof }: Who) => {
    const found = kind === 'session' && proof !== undefined ? proven.get(digestOf(proof)) : undefined
    return found !== undefined && found.who === id && found.until > now()
  }
  function prove({ id }: Who): string {
    for (const [each, { until }] of proven) if (until <= now()) proven.delete(each)
    const key = randomBytes(32).toString('base64url')
    proven.set(digestOf(key), { who: id, until: now() + provenMs })
    return key
  }
  function mayTry(): void {
    wrong = wrong.filter((at) => at > now() - provenMs)
    if (wrong.length < mostWrong) return
    const seconds = Math.ceil((wrong[0]! + provenMs - now()) / 1000)
    throw refuse(429, 'request-too-many', { seconds }, { 'retry-after': String(seconds) })
  }

  return {
    isProven,
    need(who) {
      if (!isProven(who)) throw refuse(403, 'proof-needed', {})
    },
    async signedIn(who) {
      return person && !(await hasPassphrase()) && (await isRead(person)) ? prove(who) : undefined
    },
    vouch: prove,
    async begin(who) {
      if (who.isVouched) return { proven: isProven(who), sign_in: '/api/oidc/sign-in' }
      if (who.kind !== 'session' || !person) throw refuse(403, 'approval-needs-person', {})
      if (isProven(who)) return { proven: true }
      mayTry()
      running.get(who.id)?.type('')
      const begun = start(await person())
      running.set(who.id, begun)
      // It may throw before it asks: the terminal is gone.
      return Promise.race([begun.asked, begun.confirmed.then((proven) => ({ proven }))])
    },
    async give(who, typed) {
      const begun = running.get(who.id)
      if (!begun) throw refuse(409, 'request-conflict', { detail: 'Nothing was asked.' })
      mayTry()
      // Counted before it is known to be wrong: many at once are no way around it.
      const at = now()
      wrong.push(at)
      begun.type(typed)
      const result = await Promise.race([begun.asked, begun.confirmed.then((proven) => ({ proven }))])
      if (!result.proven && 'question' in result) return result
      running.delete(who.id)
      if (!result.proven) return { proven: false }
      wrong = wrong.filter((each) => each !== at)
      return { proven: true, key: prove(who) }
    },
  }
}

async function isRead(person: FindPerson): Promise<boolean> {
  try {
    return (await person()).readsTerminal
  } catch {
    return false
  }
}

/** A desk whose questions are answered by later requests. */
function start(person: PagePerson): Running {
  const state = { ask: (_asked: Asked) => {}, type: (_text: string) => {} }
  const next = () =>
    new Promise<Asked>((resolve) => {
      state.ask = resolve
    })
  const begun = { asked: next() } as Running
  const put = (secret: boolean) => (question: string) =>
    new Promise<string | undefined>((resolve) => {
      state.type = (text) => {
        begun.asked = next()
        resolve(text === '' ? undefined : text)
      }
      state.ask({ proven: false, question, secret })
    })
  const desk: Desk = { line: put(false), secret: put(true) }
  begun.type = (text) => state.type(text)
  begun.confirmed = person.confirm(desk).catch((error: unknown) => {
    if (error instanceof HooklineError) throw new Refusal(403, error.notes[0]!)
    throw error
  })
  // Whoever waits for it gets to know; nobody may be waiting.
  begun.confirmed.catch(() => {})
  return begun
}

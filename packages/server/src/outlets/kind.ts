import type { Alert } from '../audit/alerts.ts'
import type { Decision } from '../decisions/index.ts'

/** What an administrator says of an outlet; the kind says which of it it needs. `$NAME` stands for a variable of the environment of the server. */
export interface OutletSettings {
  /** Where to: `https://…`, `smtp://user:$PASSWORD@host:587`, `udp://host:514`, `tcp://host:514` or `tls://host:6514`. */
  url: string
  /** Signs what a webhook gets. */
  secret?: string | undefined
  /** Of a mail. */
  from?: string | undefined
  to?: string | undefined
  format?: 'json' | 'ocsf' | undefined
}

export interface Sent {
  /** Alerts that were raised or have ended. */
  alerts: readonly Alert[]
  decisions: readonly Decision[]
}

/** How HTTP is sent: with the limits of the server. */
export type Post = (
  url: string,
  init: { method: 'POST'; headers: Record<string, string>; body: string; signal: AbortSignal },
) => Promise<{ ok: boolean; status: number }>

/** One kind of place. */
export interface OutletKind {
  doc: string
  /** Whether it takes decisions as well: people who are called by each would stop reading. */
  takesDecisions: boolean
  needs: readonly (keyof OutletSettings)[]
  /** Resolves when whoever is there has it; throws otherwise, and it is tried again. */
  send(what: Sent, settings: OutletSettings, post: Post): Promise<void>
}

export const defineOutlet = (kind: OutletKind): OutletKind => kind

const mostMs = 15_000

export async function postTo(post: Post, url: string, headers: Record<string, string>, body: string): Promise<void> {
  const answer = await post(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(mostMs) }).catch(
    () => undefined,
  )
  if (!answer) throw new Error('It cannot be reached.')
  if (!answer.ok) throw new Error(`It answered with ${answer.status}.`)
}

/** One alert in a line. */
export const inWords = ({ title, detail, about, ended }: Alert): string =>
  `${ended === null ? '' : 'Over: '}${title} (${about}). ${detail[0]?.toUpperCase()}${detail.slice(1)}.`

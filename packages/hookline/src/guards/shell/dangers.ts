/** What several programs do alike: each is said in one place, so that the same thing has the same weight and words everywhere. */
import type { Danger } from './types.ts'

export const dangerOf = (category: Danger['category'], radius: Danger['radius'], reason: string): Danger => ({
  category,
  radius,
  reason,
})

export const SENDS_SECRET = dangerOf('exfiltration', 'high', 'It sends credentials to another machine.')
export const HANDS_OVER = dangerOf('exfiltration', 'medium', 'It hands credentials of this machine over to a service.')
export const COPIES_SECRET = dangerOf('secret-read', 'medium', 'It copies credentials.')
export const DELETES_BY_REQUEST = dangerOf('cloud', 'high', 'It asks a server to delete something.')
export const APPLIES_UNSEEN = dangerOf(
  'remote-exec',
  'medium',
  'It runs in the cluster what comes from an address, unseen.',
)
export const RUNS_DOWNLOAD = dangerOf('remote-exec', 'high', 'It runs code that was just downloaded, unseen.')
export const OFFERS_SHELL = dangerOf(
  'remote-exec',
  'high',
  'It gives a shell on this machine to whoever is at the other end.',
)
export const STOPS_ALL = dangerOf('process', 'high', 'It stops every process there is.')
export const MIRRORS = dangerOf('fs-delete', 'high', 'It deletes everything at the target that is not at the source.')
export const CUTS_OFF = dangerOf('system', 'high', 'It takes away an address or a route, and may cut this machine off.')
export const WEAKENS = dangerOf('system', 'high', 'It changes how the operating system protects itself.')
export const GIT_RUNS_LATER = dangerOf('persistence', 'high', 'It makes git run a program from now on.')

import type { OutletKind } from './kind.ts'
import { mail } from './mail.ts'
import { slack } from './slack.ts'
import { syslog } from './syslog.ts'
import { webhook } from './webhook.ts'

/** The kinds of places that alerts and decisions go to: one line each. */
export const outletKinds = { webhook, slack, mail, syslog } as const satisfies Record<string, OutletKind>
export type OutletKindName = keyof typeof outletKinds
export const outletKindNames = Object.keys(outletKinds) as [OutletKindName, ...OutletKindName[]]

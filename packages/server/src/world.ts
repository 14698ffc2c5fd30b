import type { Access, Oidc, Proofs } from './access/index.ts'
import type { Alerts, Ingest } from './audit/index.ts'
import type { RegisteredBundles } from './bundles/index.ts'
import type { Channels } from './channels/index.ts'
import type { Totals } from './decisions/index.ts'
import type { Surface } from './http/security.ts'
import type { JournalIndex } from './index/index.ts'
import type { Machines } from './machines/index.ts'
import type { Metrics } from './metrics.ts'
import type { Outlets } from './outlets/index.ts'
import type { Policies } from './policy/index.ts'
import type { Proving } from './proved/index.ts'
import type { Questions } from './questions/index.ts'
import type { Replays } from './replay/index.ts'
import type { Agents, Sessions } from './sessions/index.ts'
import type { Sql } from './store/index.ts'
import type { Hub } from './stream/index.ts'
import type { Telemetry } from './telemetry/index.ts'

/** What is there as soon as the server listens. */
export interface EarlyWorld {
  sql: Sql
  access: Access
  /** Who has shown to be a person. */
  proofs: Proofs
  hub: Hub
  metrics: Metrics
  /** Where the server was started: the project whose rules it shows first. */
  cwd: string
  version: string
  /** Where browsers reach it. */
  url: string
  /** Under which names it answers. */
  surface: Surface
  cookie: { name: string; secure: boolean }
  since: Date
  /** Lines for whoever looks after the server. */
  log(line: string): void
}

/** Everything that routes work with. */
export interface World extends EarlyWorld {
  /** The identity provider that people sign in with, where there is one. */
  oidc: Oidc | undefined
  questions: Questions
  agents: Agents
  bundles: RegisteredBundles
  channels: Channels
  sessions: Sessions
  index: JournalIndex
  totals: Totals
  /** The machines of the fleet. */
  machines: Machines
  /** What machines send of their journals, what somebody should look at, and where it goes. */
  ingest: Ingest
  alerts: Alerts
  outlets: Outlets
  /** What they fetch. */
  policies: Policies
  /** What is sent to a collector, where there is one. */
  telemetry(): Telemetry | undefined
  replays: Replays
  /** Whether guards would really block. */
  proving: Proving
}

import type { Ruling } from './effects.ts'
import type { Mode, Origin } from './hook.ts'
import type { ActionKind } from './tools.ts'

/** What a rule is about. Kinds of actions are alternatives; `tool` and `where` narrow them. */
export type RuleTarget = { [K in ActionKind | 'tool' | 'prompt']?: string | readonly string[] } & {
  where?: Readonly<Record<string, ArgumentTest>>
}

/** Tests of one argument; all must hold. A bare value means `equals`. */
export type ArgumentTest =
  | string
  | number
  | boolean
  | {
      equals?: unknown
      not?: unknown
      in?: readonly unknown[]
      matches?: string
      gt?: number
      gte?: number
      lt?: number
      lte?: number
      contains?: string
      exists?: boolean
    }

/** A rule as people write it, in YAML and in code. Exactly one of deny, ask and allow. */
export interface RuleEntry {
  id?: string
  deny?: RuleTarget
  ask?: RuleTarget
  allow?: RuleTarget
  except?: RuleTarget
  when?: RuleCondition
  because?: string
  instead?: string
  /** A date: from then on the rule does not count, and `check` says so. */
  until?: string
  mode?: Mode
  /** What an unresolved part amounts to, for deny and ask. Default: ask. */
  unknown?: 'ask' | 'deny' | 'pass'
}

export interface RuleCondition {
  agent?: string | readonly string[]
  host?: string | readonly string[]
  branch?: string | readonly string[]
  remote?: string | readonly string[]
  dirty?: boolean
  permission_mode?: string | readonly string[]
  subagent?: boolean
  principal?: string | readonly string[]
  tenant?: string | readonly string[]
  /** `22:00-06:00`, or `mon-fri 09:00-17:00`. */
  time?: string | readonly string[]
  /** Something earlier in the session: `{ read: '**\/.env*' }`, `{ fetch: '*' }`, or `secret`, `web`. */
  after?: RuleTarget | 'secret' | 'web'
}

/** A rule with its place. */
export interface Rule extends RuleEntry {
  id: string
  ruling: Ruling
  target: RuleTarget
  origin: Origin
}

import type { Budget, BudgetUse, SessionRecord, Team, Usage } from '../core/index.ts'
import { milliseconds } from '../core/index.ts'
import { requestTokens } from '../models/index.ts'

/** What the agents of a session may spend: one pot for all of them, and those that some share by name. */
export interface Budgets {
  /** How much of each is used. */
  readonly uses: readonly BudgetUse[]
  charge(agent: string, bill: { usage?: Usage; cost?: number }): void
  worked(agent: string, ms: number): void
  /** The first limit that this agent has reached. */
  exceeded(agent: string): Exceeded | undefined
  /** Whether somebody counts what this agent costs, so that a model without a price matters. */
  countsCost(agent: string): boolean
}

export interface Exceeded {
  budget: string
  limit: keyof Budget
  used: string
  max: string
  /** Where it stands in the agent file. */
  config_path: string
}

interface Pot {
  name: string
  path: string
  max: Budget
  used: { max_cost: number; max_tokens: number; max_time: number }
}

/** `records`: what a session that is resumed has spent before. */
export function openBudgets({ budget, budgets = {}, agents }: Team, records: readonly SessionRecord[] = []): Budgets {
  const shared = budget ? [potOf('run', 'budget', budget)] : []
  const named = Object.entries(budgets).map(([name, max]) => potOf(name, `budgets.${name}`, max))
  const all = [...shared, ...named]
  const potsOf = (agent: string) => [...shared, ...named.filter(({ name }) => agents[agent]?.budgets?.includes(name))]

  const opened: Budgets = {
    get uses() {
      return all.map(({ name, max, used }) => ({ name, max, used: { ...used } }))
    },
    charge(agent, { usage = {}, cost = 0 }) {
      for (const { used } of potsOf(agent)) {
        used.max_cost += cost
        used.max_tokens += requestTokens(usage) + (usage.output_tokens ?? 0)
      }
    },
    worked(agent, ms) {
      for (const { used } of potsOf(agent)) used.max_time += ms
    },
    exceeded(agent) {
      for (const { name, path, max, used } of potsOf(agent)) {
        const limit = limits.find((each) => max[each] !== undefined && used[each] >= amountOf(max, each))
        if (limit === undefined) continue
        const shown = { used: formats[limit](used[limit]), max: formats[limit](amountOf(max, limit)) }
        return { budget: name, limit, ...shown, config_path: `${path}.${limit}` }
      }
      return undefined
    },
    countsCost: (agent) => potsOf(agent).some(({ max }) => max.max_cost !== undefined),
  }
  for (const record of records) {
    if (record.type === 'usage') opened.charge(record.agent ?? '', record)
    if (record.type === 'worked') opened.worked(record.agent, record.ms)
  }
  return opened
}

const limits = ['max_cost', 'max_tokens', 'max_time'] as const

const potOf = (name: string, path: string, max: Budget): Pot => ({
  name,
  path,
  max,
  used: { max_cost: 0, max_tokens: 0, max_time: 0 },
})

const amountOf = (max: Budget, limit: keyof Budget): number =>
  limit === 'max_time' ? milliseconds(max.max_time ?? '0s') : (max[limit] ?? 0)

const formats: Readonly<Record<keyof Budget, (amount: number) => string>> = {
  max_cost: (usd) => `$${usd.toFixed(4)}`,
  max_tokens: (tokens) => `${tokens.toLocaleString('en')} tokens`,
  max_time: (ms) => `${Math.round(ms / 1_000)} s`,
}

/** `run $0.12/$0.50 · 12,300/100,000 tokens`: only what has a limit. */
export const describeUse = ({ name, max, used }: BudgetUse): string =>
  `${name} ${limits
    .filter((limit) => max[limit] !== undefined)
    .map((limit) => `${formats[limit](used[limit]).replace(/ \w+$/, '')}/${formats[limit](amountOf(max, limit))}`)
    .join(' · ')}`

/** The fullest limit of all, as a share of it. */
export const fullest = (uses: readonly BudgetUse[]): number =>
  Math.max(
    0,
    ...uses.flatMap(({ max, used }) =>
      limits.filter((limit) => max[limit] !== undefined).map((limit) => used[limit] / amountOf(max, limit)),
    ),
  )

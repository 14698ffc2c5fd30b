import { assignedSecret } from '../contexts/assignment.ts'
import { contextRules } from '../contexts/headers.ts'
import type { Finder } from '../finder.ts'
import type { Rule } from '../rule.ts'
import { finderOf } from '../rule.ts'
import { byteArrayKey } from '../shapes/byte-array.ts'
import { pemPrivateKey, puttyPrivateKey } from '../shapes/pem.ts'
import { chat } from './chat.ts'
import { clouds } from './clouds.ts'
import { crypto } from './crypto.ts'
import { forges } from './forges.ts'
import { infra } from './infra.ts'
import { llm } from './llm.ts'
import { payments } from './payments.ts'
import { runs } from './runs.ts'
import { saas } from './saas.ts'

/** Every token format known by a text in it, the more specific families first: the first to claim a span names it. */
export const rules: readonly Rule[] = [
  ...forges,
  ...clouds,
  ...llm,
  ...payments,
  ...chat,
  ...infra,
  ...saas,
  ...crypto,
  ...contextRules,
]

export const finders: readonly Finder[] = [
  pemPrivateKey,
  puttyPrivateKey,
  ...rules.map(finderOf),
  byteArrayKey,
  assignedSecret,
]

export const runRules: readonly Finder[] = runs.map(finderOf)

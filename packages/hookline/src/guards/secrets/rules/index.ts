import { assignedSecret } from '../contexts/assignment.ts'
import { contextRules } from '../contexts/headers.ts'
import type { Finder, Rule } from '../rule.ts'
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
import { saas } from './saas.ts'

/** Every token format known by a text in it, the more specific families first: the first to claim a span names it. */
const ruleFamilies: readonly (() => readonly Rule[])[] = [
  () => forges,
  () => clouds,
  () => llm,
  () => payments,
  () => chat,
  () => infra,
  () => saas,
  () => crypto,
  () => contextRules,
]

export const rules = (): Rule[] => ruleFamilies.flatMap((family) => family())

/** All finders, in the same order. A family is made when one of its keywords is met: most texts meet few. */
export const families: readonly (() => readonly Finder[])[] = [
  () => [pemPrivateKey, puttyPrivateKey],
  ...ruleFamilies.map((family) => () => family().map(finderOf)),
  () => [byteArrayKey],
  () => [assignedSecret],
]

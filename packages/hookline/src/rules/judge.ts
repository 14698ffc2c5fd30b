import type { Ruling } from '../core/index.ts'
import { covers, taken, touches } from './commands/index.ts'
import { bitOf, type CompiledRule, type CompiledRules } from './compile.ts'
import type { Moment } from './conditions.ts'
import { both, either, type Match, matchesSlot, matchesText, maybe, no, yes } from './glob.ts'
import { coversHost, touchesHost } from './hosts.ts'
import { coversPath, touchesPath } from './paths.ts'
import type { Target } from './target.ts'
import { coveringTexts, type Texts, touchesTexts } from './texts.ts'
import { type Action, type Actions, isKnown, type Look, type PathAction } from './types.ts'

/** One call, and the moment in which it is made. */
export interface Question extends Actions {
  /** What the tool is called: ours first, then in the host's words. */
  names: readonly string[]
  input: Readonly<Record<string, unknown>>
  moment: Moment
  look: Look
  /** For rules about whole texts; without it, none of them matches. */
  texts?: Texts
  /** Whether what a rule waits for has happened. */
  happened(key: string): boolean
}

/** A rule that has something to say about a call. */
export interface RuleMatch {
  rule: CompiledRule
  ruling: Ruling
  /** The action that it is about; absent: the call as a whole. */
  action?: Action
  /** A part of the call is only known when it runs. */
  unknown?: string
}

export interface Judgement {
  ruling: Ruling | undefined
  /** The rules that decided, in their order. */
  decided: readonly RuleMatch[]
  /** Rules that were overruled. */
  others: readonly RuleMatch[]
  /** What rules in shadow would have done. */
  shadow: readonly RuleMatch[]
}

const silent: Judgement = { ruling: undefined, decided: [], others: [], shadow: [] }

/** Deny beats ask; an allow answers the asks beside it. Pure, but for the look. */
export function judge(compiled: CompiledRules, question: Question): Judgement {
  if (compiled.rules.length === 0) return silent
  const matches: RuleMatch[] = []
  for (const index of candidates(compiled, question)) {
    const match = matchRule(compiled.rules[index] as CompiledRule, question)
    if (match) matches.push(match)
  }
  const allowed = compiled.allows.length > 0 ? allowing(compiled.allows, question) : []
  if (matches.length === 0 && allowed.length === 0) return silent
  return settle([...matches, ...allowed])
}

export function settle(matches: readonly RuleMatch[]): Judgement {
  const shadow = matches.filter(isShadow)
  const counting = matches.filter((match) => !isShadow(match))
  const ruling = order.find((each) => counting.some((match) => match.ruling === each))
  if (ruling === undefined) return { ...silent, shadow }
  const decided = counting.filter((match) => match.ruling === ruling)
  return { ruling, decided, others: counting.filter((match) => match.ruling !== ruling), shadow }
}

const order: readonly Ruling[] = ['deny', 'allow', 'ask']
const isShadow = ({ rule }: RuleMatch): boolean => rule.rule.mode === 'shadow'

/** Rules about other programs and other kinds of actions than those of the call cannot match, and are not looked at. */
function candidates({ byProgram, others, rules }: CompiledRules, { actions, complete }: Actions): readonly number[] {
  if (!complete) return all(rules)
  let bits = 0
  const found: number[] = []
  for (const action of actions) {
    bits |= bitOf(action.kind)
    if (action.kind !== 'run' || byProgram.size === 0) continue
    const { folded } = taken(action)
    if (folded === undefined || action.words.length === 0) return all(rules)
    const about = byProgram.get(folded)
    if (about) for (const index of about) if (!found.includes(index)) found.push(index)
  }
  for (const index of others)
    if (((rules[index] as CompiledRule).kinds & bits) !== 0 || (rules[index] as CompiledRule).kinds === -1)
      found.push(index)
  return found.sort((one, other) => one - other)
}

const all = (rules: readonly CompiledRule[]): number[] =>
  rules.flatMap(({ ruling }, index) => (ruling === 'allow' ? [] : [index]))

/** A deny or an ask: the first action that surely matches, else the first that may. */
function matchRule(rule: CompiledRule, question: Question): RuleMatch | undefined {
  if (!applies(rule, question)) return undefined
  const found = findLoosely(rule, question)
  if (!found) return undefined
  const { match, action } = found
  if (match === yes) return { rule, ruling: rule.ruling, ...(action && { action }) }
  const { unknown = 'ask' } = rule.rule
  if (unknown === 'pass') return undefined
  return { rule, ruling: unknown, ...(action && { action }), unknown: whatIsUnknown(action, question) }
}

function applies({ ends, after }: CompiledRule, { moment, happened }: Question): boolean {
  if (ends !== undefined && moment.now.getTime() >= ends) return false
  return after === undefined || happened(after.key)
}

function findLoosely(rule: CompiledRule, question: Question): { match: Match; action?: Action } | undefined {
  const { target, except, holds, kinds } = rule
  const call = aboutCall(target, question)
  if (call === no) return undefined
  const { moment, actions, look, complete } = question
  if (!target.hasActions) {
    if (!target.tool && !target.where && !target.text) return undefined
    const match = both(call, holds?.(moment, undefined) ?? yes)
    return match === no || (except && exceptsCall(except, question)) ? undefined : { match }
  }
  let best: { match: Match; action?: Action } | undefined
  for (const action of actions) {
    if ((kinds & bitOf(action.kind)) === 0) continue
    const touched = both(call, touchesAction(target, action, look, except && sparedBy(except, question)))
    if (touched <= (best?.match ?? no)) continue
    const match = both(touched, holds?.(moment, action) ?? yes)
    if (match <= (best?.match ?? no)) continue
    if (except && excepts(except, action, question)) continue
    best = { match, action }
    if (match === yes) return best
  }
  if (best || complete || !isAboutMachine(target)) return best
  return both(call, holds?.(moment, undefined) ?? yes) === no ? undefined : { match: maybe }
}

/** An exception about files alone leaves them out of a tree, too: `.env.example` among what `grep -r` reads. */
const sparedBy = (except: Target, question: Question): Target | undefined =>
  except.run.length === 0 && aboutCall(except, question) === yes ? except : undefined

/** What an unread part of a line could do: anything but calling tools. */
const isAboutMachine = ({ run, read, write, delete: removed, fetch }: Target): boolean =>
  run.length + read.length + write.length + removed.length + fetch.length > 0

function aboutCall({ tool, where, text }: Target, question: Question): Match {
  const { names, input } = question
  if (tool && !tool(names)) return no
  if (text) return touchesTexts(text, question)
  return where ? where(input) : yes
}

/** For what tightens. Who may not change a file may not remove it either. */
export function touchesAction(target: Target, action: Action, look: Look, spared?: Target): Match {
  switch (action.kind) {
    case 'run':
      return most(target.run, (pattern) => touches(pattern, action))
    case 'delete':
      return either(
        touchesPaths(target.delete, action, look, spared?.delete),
        touchesPaths(target.write, action, look, spared?.delete),
      )
    case 'read':
    case 'write':
      return touchesPaths(target[action.kind], action, look, spared?.[action.kind])
    case 'fetch':
      return most(target.fetch, (pattern) => touchesHost(pattern, action))
    case 'send':
      return most(target.send, (glob) => matchesSlot(glob, action.to))
    case 'spawn':
      return most(target.spawn, (glob) => matchesSlot(glob, action.agent))
    case 'call':
      return (action.ways ?? [action]).some((way) => isCall(target, way)) ? yes : no
  }
}

const isCall = ({ call }: Target, named: { server: string; tool: string }): boolean =>
  call.some(({ server, tool }) => matchesText(server, named.server) && matchesText(tool, named.tool))

const touchesPaths = (
  patterns: Target['read'],
  action: PathAction,
  look: Look,
  spared: Target['read'] | undefined,
): Match => most(patterns, (pattern) => touchesPath(pattern, action, look, spared))

function most<T>(patterns: readonly T[], match: (pattern: T) => Match): Match {
  let best: Match = no
  for (const pattern of patterns) {
    const found = match(pattern)
    if (found === yes) return yes
    best = either(best, found)
  }
  return best
}

/** For what loosens: all of the action is known, and the target says all of it. */
function coversAction(target: Target, action: Action): boolean {
  switch (action.kind) {
    case 'run':
      return target.run.some((pattern) => covers(pattern, action))
    case 'read':
    case 'write':
    case 'delete':
      return target[action.kind].some((pattern) => coversPath(pattern, action))
    case 'fetch':
      return target.fetch.some((pattern) => coversHost(pattern, action))
    case 'send':
      return target.send.some((glob) => matchesSlot(glob, action.to) === yes && isKnown(action.to))
    case 'spawn':
      return target.spawn.some((glob) => matchesSlot(glob, action.agent) === yes && isKnown(action.agent))
    case 'call':
      // Who allows `github/*` has not allowed a server that is called `github__other`.
      return (action.ways ?? [action]).every((way) => isCall(target, way))
  }
}

/** What the rule leaves alone. An exception about commands must say every command of the call, as an `allow` must. */
function excepts(except: Target, action: Action, question: Question): boolean {
  if (aboutCall(except, question) !== yes) return false
  if (!except.hasActions) return true
  if (!coversAction(except, action)) return false
  if (except.run.length === 0) return true
  if (!question.complete || question.sets) return false
  return question.actions.every((each) => each.kind !== 'run' || coversAction(except, each))
}

const exceptsCall = (except: Target, question: Question): boolean =>
  aboutCall(except, question) === yes &&
  (!except.hasActions ||
    (question.complete &&
      !question.sets &&
      question.actions.length > 0 &&
      question.actions.every((action) => coversAction(except, action))))

/**
 * Several allow rules may share a call: each of its commands, and each other action, is covered by one of them. A command that is
 * covered brings along what it reads, writes and fetches by itself. Nothing is covered where something is unknown.
 */
function allowing(rules: readonly CompiledRule[], question: Question): RuleMatch[] {
  const fitting = rules.filter(
    (rule) => applies(rule, question) && (rule.target.text || aboutCall(rule.target, question) === yes),
  )
  if (fitting.length === 0) return []
  // What somebody tries out in shadow must not complete what others cover.
  const shadow = fitting.filter(({ rule }) => rule.mode === 'shadow')
  const counting = fitting.filter(({ rule }) => rule.mode !== 'shadow')
  return [...coveringAll(counting, question), ...coveringAll(shadow, question)]
}

function coveringAll(rules: readonly CompiledRule[], question: Question): RuleMatch[] {
  if (rules.length === 0) return []
  const texts = coveringTexts(rules, question)
  if (texts.length > 0 && texts.every((rule) => permits(rule, undefined, question)))
    return texts.map((rule) => ({ rule, ruling: 'allow' }))
  if (!question.complete) return []
  const { actions } = question
  const whole = rules.find(
    (rule) => !rule.target.hasActions && isLoose(rule.target) && permits(rule, undefined, question),
  )
  if (whole && actions.every((action) => isWhollyKnown(action) && permits(whole, action, question)))
    return [{ rule: whole, ruling: 'allow' }]
  if (question.sets) return []
  const needed = actions.filter(({ by }) => by === undefined)
  const found = needed.map((action) => ({
    action,
    rule: rules.find((rule) => coversAction(rule.target, action) && permits(rule, action, question)),
  }))
  if (found.length === 0 || found.some(({ rule }) => !rule)) return []
  return found
    .filter(({ rule }, at) => found.findIndex((each) => each.rule === rule) === at)
    .map(({ rule, action }) => ({ rule: rule as CompiledRule, ruling: 'allow' as const, action }))
}

const isLoose = ({ tool, where }: Target): boolean => tool !== undefined || where !== undefined

/** Whether its conditions hold, and its exception does not: that one tightens, and so matches loosely. */
function permits({ holds, except }: CompiledRule, action: Action | undefined, question: Question): boolean {
  if (holds && holds(question.moment, action, true) !== yes) return false
  if (!except) return true
  if (aboutCall(except, question) === no) return true
  if (!except.hasActions) return false
  return question.actions.every((each) => touchesAction(except, each, question.look) === no)
}

function isWhollyKnown(action: Action): boolean {
  switch (action.kind) {
    case 'run':
      return action.words.every(isKnown)
    case 'read':
    case 'write':
    case 'delete':
      return action.paths.every(isKnown)
    case 'fetch':
      return isKnown(action.host)
    case 'send':
      return isKnown(action.to)
    case 'spawn':
      return isKnown(action.agent)
    case 'call':
      return true
  }
}

function whatIsUnknown(action: Action | undefined, { doubt, complete }: Question): string {
  if (action) return `part of \`${action.shown}\` is only known when it runs.`
  return complete ? 'an argument cannot be compared.' : (doubt ?? 'a part of it is only known when it runs.')
}

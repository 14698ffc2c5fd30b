import {
  formatLine,
  type Layer,
  notApproved,
  placeIn,
  printable,
  type RuleTarget,
  rulingOf,
  targetKinds,
  type Where,
} from '../core/index.ts'
import { quoteWord } from '../shell/index.ts'
import type { RuleMatch } from './judge.ts'
import type { Action } from './types.ts'

/** Whose rules they are, and where they stand. */
export interface Speaker {
  layer: Layer
  where(id: string): Where | undefined
  /** Nobody has approved the project: the model reads none of its words. */
  unapproved: boolean
  /** What the rules say of themselves are our words, whoever uses them. */
  ours: boolean
}

/** What an action is called where it is shown: `run git push`, `read .env`. */
export const describeAction = (action: Action): string => printable(`${action.kind} ${action.shown}`)

/**
 * What the model reads. A sentence for each rule with words of its own; one for all that may match for the same reason, and
 * one for all whose words are hidden.
 */
export function forModel(matches: readonly RuleMatch[], speaker: Speaker): string {
  const hidden = matches.filter((match) => isHidden(match, speaker))
  const open = matches.filter((match) => !hidden.includes(match))
  const sentences = [
    ...new Set(grouped(open, ({ unknown }) => unknown).flatMap((group) => sentencesOf(group, speaker))),
  ]
  const more = sentences.length - mostSentences
  const rest = more === 1 ? 'So does 1 more rule.' : `So do ${more} more rules.`
  return [
    ...sentences.slice(0, mostSentences),
    ...(more > 0 ? [rest] : []),
    ...(hidden.length > 0 ? [`${fixedSentence(hidden, speaker)} ${notApproved}`] : []),
  ].join('\n')
}

/** A rule that does not say why is described by its patterns, which the project may have chosen. */
const isHidden = ({ rule }: RuleMatch, { unapproved, ours }: Speaker): boolean =>
  unapproved && !(ours && rule.rule.because !== undefined)

/** The first say enough. */
const mostSentences = 3
const mostNames = 6

/** A line that cannot be read may match every rule there is: that is said once. */
function sentencesOf(group: readonly RuleMatch[], speaker: Speaker): string[] {
  const [first] = group
  if (first?.unknown === undefined || group.length === 1) return group.map((match) => sentence(match, speaker))
  const which = `${group.length} rules of ${owners[speaker.layer]} (${listed(group.map(({ rule }) => rule.rule.id))})`
  const begin = first.ruling === 'deny' ? 'Blocked by' : 'Asked because of'
  return [`${begin} ${which}. It may match them: ${first.unknown}`]
}

const listed = (names: readonly string[]): string =>
  [...names.slice(0, mostNames), ...(names.length > mostNames ? [`and ${names.length - mostNames} more`] : [])].join(
    ', ',
  )

/** In the order of the first of each group. */
function grouped<T>(all: readonly T[], keyOf: (each: T) => string | undefined): T[][] {
  const groups = new Map<string | undefined, T[]>()
  for (const each of all) {
    const key = keyOf(each)
    const group = groups.get(key)
    if (group) group.push(each)
    else groups.set(key, [each])
  }
  return [...groups.values()]
}

function sentence({ rule, ruling, action, unknown }: RuleMatch, { layer }: Speaker): string {
  const { id, because, instead } = rule.rule
  const whose = `a rule of ${owners[layer]} (${id})`
  const why = because ?? describeTarget(rulingOf(rule.rule).target, action)
  const text = [ended(why), ...(instead === undefined ? [] : [ended(instead)])].join(' ')
  if (ruling === 'allow') return `Allowed by ${whose}.`
  const doubt = unknown === undefined ? '' : ` It may match: ${unknown}`
  return ruling === 'deny' ? `Blocked by ${whose}: ${text}${doubt}` : `Asked because of ${whose}: ${text}${doubt}`
}

const owners: Record<Layer, string> = {
  managed: 'the administrator',
  fleet: 'the fleet',
  user: 'the user',
  project: 'this project',
  local: 'this project',
  session: 'this project',
  code: 'this program',
}

/** As of any hook of a project that nobody has approved: where it stands, and nothing of it. */
function fixedSentence(matches: readonly RuleMatch[], { where }: Speaker): string {
  const places = [...new Set(matches.map(({ rule }) => placeIn(where(rule.rule.id))))].filter((place) => place !== '')
  const [first = '', ...more] = places.slice(0, mostSentences)
  const rest = `${more.map((place) => `,${place.replace(/[()]/g, '')}`).join('')}${places.length > mostSentences ? ' …' : ''}`
  const at = first.replace(/\)$/, `${rest})`)
  const whose = matches.length === 1 ? `a rule of this project${at}` : `${matches.length} rules of this project${at}`
  if (matches[0]?.ruling === 'deny') return `Blocked by ${whose}.`
  return matches.length === 1
    ? `A rule of this project${at} wants the user to confirm this.`
    : `${whose} want the user to confirm this.`
}

/** What the user reads: which rules and where, their words if the model does not see them, and what would allow it. */
export function forUser(matches: readonly RuleMatch[], speaker: Speaker): string[] {
  const shown = matches.filter(
    (match) => match.ruling === 'deny' || (match.ruling === 'ask' && isHidden(match, speaker)),
  )
  return grouped(shown, whatOf).map((group) => {
    const { ruling, action } = group[0]!
    const which = `${group.length === 1 ? 'Rule' : 'Rules'} ${listed(group.map(({ rule }) => named(rule.rule.id, speaker)))}`
    const did = ruling === 'deny' ? 'blocked' : group.length === 1 ? 'asks about' : 'ask about'
    const own = group.filter((match) => isHidden(match, speaker)).flatMap(ownWords)
    const allow = ruling === 'deny' && action ? [wayOut(action, speaker)] : []
    return [`${which} ${did}: ${whatOf(group[0]!)}`, ...new Set(own), ...allow].map(printable).join('\n')
  })
}

/** What others have decided for this machine, no rule of its user answers. */
const beyondUser: ReadonlySet<Layer> = new Set<Layer>(['managed', 'fleet'])

const wayOut = (action: Action, { layer }: Speaker): string =>
  beyondUser.has(layer) ? `Only ${owners[layer]} can allow it.` : `To allow it:  ${allowCommand(action)}`

function whatOf({ action }: RuleMatch): string {
  return action ? clipped(`${action.kind === 'run' ? '' : `${action.kind} `}${action.shown}`) : 'this call'
}

function named(id: string, { where }: Speaker): string {
  const place = where(id)
  return place ? `${id} (${formatLine(place)})` : id
}

const ownWords = ({ rule: { rule } }: RuleMatch): string[] =>
  [rule.because, rule.instead].flatMap((text) => (text === undefined ? [] : [clipped(text)]))

const clipped = (text: string): string => (text.length > 500 ? `${text.slice(0, 499)}…` : text)

/** The command by which a person would allow this. */
function allowCommand(action: Action): string {
  if (action.kind === 'run') return `hookline allow ${quoted(action.shown)}`
  if (action.kind === 'call') return `hookline allow --call ${quoteWord(`${action.server}/${action.tool}`)}`
  if (action.kind === 'fetch') return `hookline allow --fetch ${quoteWord(action.host.parts.join('*'))}`
  return `hookline allow --${action.kind} ${quoteWord(action.shown)}`
}

/** In double quotes, as people write it, where a shell reads the same. */
const quoted = (text: string): string => (/["$`\\!]/.test(text) ? quoteWord(text) : `"${text}"`)

const ended = (text: string): string => (/[.!?…`]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`)

function describeTarget(target: RuleTarget, action: Action | undefined): string {
  const parts = targetKinds.flatMap((kind) =>
    target[kind] === undefined ? [] : [`${kind} ${[target[kind]].flat().join(', ')}`],
  )
  const about = parts.join(' or ') || 'these arguments'
  return action ? `${about} (here: ${action.shown})` : about
}

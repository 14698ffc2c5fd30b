/**
 * What a call puts at stake, and what follows from that: a table by who can be asked. Pure: what must be looked up is
 * handed in, and bounded there.
 * @module
 */
import type { Audience, Profile } from '../core/index.ts'
import { categories, type Finding, placeOfPath } from '../guards/shell/index.ts'
import type { Action, Actions, PathAction, RunAction, Slot } from '../rules/index.ts'
import { everything, judgeLosses, type Loss, overwriting } from './files.ts'
import { judgeFinding } from './findings.ts'
import { type GitCommand, gitCommandOf, isForcedRemoval, judgeGit, judgeLease } from './git.ts'
import { contains, whereIs } from './places.ts'
import { type Answer, answerFor, rowNames } from './rows.ts'
import type { LookAtFiles, Setting, Stake } from './types.ts'

export { isRegenerable } from './regenerable.ts'
export { type Answer, answerFor, type RowName, rowNames, rows } from './rows.ts'
export type { Kept, LookAtFiles, Setting, Stake } from './types.ts'

export interface StakesQuestion {
  /** The command line; empty for a call that runs none. */
  line: string
  findings: readonly Finding[]
  actions: Actions
  setting: Setting
}

/** What of git is about commits and branches, and not about files. */
const history = 'git-history'

/** What a stake can be about. */
export const kinds = [...categories, history] as const
export type Kind = (typeof kinds)[number]

/** Everything that a call puts at stake, the gravest first. */
export async function stakesOf(question: StakesQuestion, look: LookAtFiles): Promise<Stake[]> {
  const { line, setting } = question
  const { actions } = question.actions
  const runs = runsIn(actions, setting)
  const stakes: Stake[] = []
  const losses: Loss[] = []
  const ofGit = new Set<RunAction>()
  const wiping = new Set<RunAction>()
  const blames = new Map<RunAction, string>()
  for (const finding of question.findings) {
    if (finding.verdict !== 'destructive') continue
    const by = runs.get(squashed(finding.blamed, setting.home))
    if (by && !blames.has(by.run)) blames.set(by.run, finding.blamed)
    if (finding.category === 'git-destroy' && by?.git) {
      ofGit.add(by.run)
      const found = judgeGit(by.git, finding.reason, finding.blamed, by.touches, setting)
      stakes.push(...found.stakes.map((stake) => ({ about: history, ...stake })))
      losses.push(...found.losses)
      continue
    }
    if (finding.category === 'fs-delete' && by) wiping.add(by.run)
    if (!isExplained(finding, by)) {
      const stake = judgeFinding(finding, line)
      if (stake) stakes.push(stake)
    }
  }
  for (const { git, touches } of runs.values()) {
    if (!git || ofGit.has(git.run)) continue
    const lease = judgeLease(git)
    if (lease) stakes.push({ about: history, ...lease })
    if (isForcedRemoval(git)) losses.push(...judgeGit(git, '', git.run.shown, touches, setting).losses)
  }
  stakes.push(...actions.flatMap((action) => (action.kind === 'write' ? (writesSystem(action, setting) ?? []) : [])))
  const reads = new Set(
    actions.flatMap((action) => (action.kind === 'read' ? action.paths.map(({ parts }) => parts[0] ?? '') : [])),
  )
  for (const action of actions) {
    if ((action.kind !== 'delete' && action.kind !== 'write') || isOfGit(action, actions)) continue
    const run = byOf(action, actions)
    const blamed = run ? (blames.get(run) ?? fromHome(run.shown, setting.home)) : line.slice(0, 200) || action.shown
    if (action.kind === 'write') losses.push(...overwriting(action, blamed, reads))
    else {
      const about = action.paths.some(isHistory) ? 'git-destroy' : 'fs-delete'
      const moved = run && isMove(run) && !wiping.has(run)
      const away = moved && isMovedAway(action, actions, setting)
      const verb = away ? 'moves away' : 'deletes'
      losses.push({ action, blamed, about, verb, takes: everything, moves: moved === true && !away })
    }
  }
  stakes.push(...(await judgeLosses(losses, setting, look)))
  return stakes.sort((one, other) => rowNames.indexOf(other.row) - rowNames.indexOf(one.row))
}

export interface Ruled {
  answer: Answer
  /** Those that decide, of one row. */
  stakes: readonly Stake[]
}

/** The strictest answer that one of them asks for; among equals, the gravest row. */
export function ruleOn(stakes: readonly Stake[], audience: Audience, profile?: Profile): Ruled {
  let found: Ruled = { answer: 'pass', stakes: stakes.slice(0, 1) }
  for (const stake of stakes) {
    const answer = answerFor(stake.row, audience, profile)
    if (order.indexOf(answer) > order.indexOf(found.answer)) found = { answer, stakes: [stake] }
    else if (answer === found.answer && stake.row === found.stakes[0]?.row && !found.stakes.includes(stake))
      found = { answer, stakes: [...found.stakes, stake] }
  }
  return found
}

const order: readonly Answer[] = ['pass', 'snapshot', 'ask', 'deny']

/** One command of the line, and the files that it changes or deletes by itself. */
interface Running {
  run: RunAction
  touches: PathAction[]
  git: GitCommand | undefined
}

/** By what a finding would call it. */
function runsIn(actions: readonly Action[], { home }: Setting): Map<string, Running> {
  const found = new Map<string, Running>()
  const byPlace = new Map<number, Running>()
  for (const [at, action] of actions.entries()) {
    if (action.kind !== 'run') continue
    const running = { run: action, touches: [], git: gitCommandOf(action) }
    byPlace.set(at, running)
    found.set(squashed(action.shown, home), running)
  }
  for (const action of actions)
    if ((action.kind === 'delete' || action.kind === 'write') && action.by !== undefined)
      byPlace.get(action.by)?.touches.push(action)
  return found
}

/** The guard quotes what it blames as it was written, and actions as it was understood. */
const squashed = (text: string, home: string): string =>
  text
    .replace(/['"\\\s]/g, '')
    .replaceAll(home, '~')
    .replaceAll('…', '')

/** What the place of a file says is graver than what lies there, and needs no look. */
const gravest = new Set(['root', 'system', 'device', 'home'])

/** Whether the files that the command deletes say more than the warning does. */
function isExplained({ category, at }: Finding, by: Running | undefined): boolean {
  if (category !== 'fs-delete' && category !== 'git-destroy') return false
  if (at !== undefined && gravest.has(at)) return false
  const deleted = by?.touches.filter(({ kind }) => kind === 'delete') ?? []
  return deleted.length > 0 && deleted.every(({ paths }) => paths.every(({ parts }) => parts[0]?.startsWith('/')))
}

const byOf = ({ by }: PathAction, actions: readonly Action[]): RunAction | undefined => {
  const run = by === undefined ? undefined : actions[by]
  return run?.kind === 'run' ? run : undefined
}

const fromHome = (text: string, home: string): string => text.replaceAll(`${home}/`, '~/')

const isHistory = ({ parts }: Slot): boolean => /\/\.git(?:\/|$)/.test(parts[0] ?? '')

/** A file that the operating system needs, whatever writes it: `git diff --output=/etc/x`. */
function writesSystem(action: PathAction, { home }: Setting): Stake | undefined {
  const path = action.paths.map(({ parts }) => parts[0] ?? '').find((each) => isSystem(each, home))
  if (path === undefined) return undefined
  const reason = 'It overwrites a file that belongs to the operating system.'
  return { about: 'fs-overwrite', row: 'vital', blamed: action.shown, reason }
}

const isSystem = (path: string, home: string): boolean =>
  path.startsWith('/') && !path.startsWith(`${home}/`) && /^(?:root|system|device)$/.test(placeOfPath(path, home))

/** Out of the home, or to where things are thrown away: nobody would look for it there. */
function isMovedAway(action: PathAction, actions: readonly Action[], setting: Setting): boolean {
  const from = action.paths.map(({ parts }) => parts[0] ?? '')
  const leaves = from.some((path) => contains(setting.home, path) && whereIs(path, setting) === 'elsewhere')
  return actions.some((other) => {
    if (other.kind !== 'write' || other.by !== action.by) return false
    const to = other.paths.at(-1)?.parts[0] ?? ''
    if (!to.startsWith('/')) return leaves
    const where = whereIs(to, setting)
    return where === 'scratch' || (leaves && where !== 'inside' && !contains(setting.home, to))
  })
}

/** Programs after which the files are there under another name. */
const isMove = ({ words }: RunAction): boolean =>
  /^(?:g?mv|rename|prename|gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd|lzma|compress|uncompress|7z|zip|tar|rsync)$/.test(
    words[0]?.parts.join('') ?? '',
  )

/** What git deletes is judged with the rest of what it does: `clean` leaves alone what is tracked, `rm` what is committed. */
const isOfGit = (action: PathAction, actions: readonly Action[]): boolean => {
  const run = byOf(action, actions)
  return run !== undefined && gitCommandOf(run) !== undefined
}

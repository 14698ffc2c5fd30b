/** What is lost when files are deleted, or changes thrown away. */
import { isKnown, type Loses, type PathAction, type Slot } from '../rules/index.ts'
import { type Meant, meantBy } from './patterns.ts'
import { contains, whereIs } from './places.ts'
import { isPrecious, isRegenerable } from './regenerable.ts'
import type { RowName } from './rows.ts'
import type { Judged, Kept, LookAtFiles, Setting, Stake } from './types.ts'
import { type Lost, nameIn, sentenceAbout, sentenceAboutChanges } from './words.ts'

/** Which files a command takes away. */
export interface Loss {
  action: PathAction
  blamed: string
  /** `deletes`, `throws away`. */
  verb: string
  /** Of what is there, this much goes: `git checkout .` leaves untracked files alone. */
  takes: readonly ('changed' | 'untracked' | 'ignored')[]
  /** The directory itself stays, and what git keeps: then the place says nothing, and the files everything. */
  leaves?: boolean
  /** The files are there under another name afterwards: only what is vital must stay where it is. */
  moves?: boolean
  /** The file itself stays, and what was in it goes. */
  overwrites?: Loses
  /** It lies outside the workspace. */
  away?: boolean
  /** The category that it belongs to. */
  about: string
}

export const discards = 'throws away'
export const everything: Loss['takes'] = ['changed', 'untracked', 'ignored']

/** What was in a file goes. Whoever reads it in the same call makes the new from the old. */
export function overwriting(action: PathAction, blamed: string, reads: ReadonlySet<string>): Loss[] {
  const { loses, paths } = action
  const isNamed = (slot: Slot) => isKnown(slot) || slot.globbed === true || slot.found !== undefined
  if (loses === undefined || !paths.every(isNamed)) return []
  const made = loses === 'replaced' && paths.some(({ parts }) => reads.has(parts[0] as string))
  const overwrites = made ? 'edited' : loses
  return [{ action, blamed, about: 'fs-overwrite', verb: VERBS[overwrites], takes: everything, overwrites }]
}

const VERBS = { edited: 'changes', written: 'overwrites', replaced: 'overwrites', emptied: 'empties' } as const

/** Each loss by itself; one look for all of them. */
export async function judgeLosses(losses: readonly Loss[], setting: Setting, look: LookAtFiles): Promise<Stake[]> {
  const settled: Stake[] = []
  const open: { loss: Loss; meant: Meant }[] = []
  for (const loss of losses) {
    const found = byPlace(loss, setting)
    const { about } = loss
    if (loss.overwrites) open.push(...overwritten(loss, found, setting))
    else if ('row' in found)
      settled.push({ about, ...(loss.moves && found.row !== 'vital' ? nothing(loss.blamed) : found) })
    else if (!loss.moves) open.push({ loss, meant: found })
  }
  if (open.length === 0) return settled
  const kept = await look([...new Set(open.map(({ meant }) => meant.base))])
  return [
    ...settled,
    ...together(
      open.map(({ loss, meant }) => taken(loss, meant, kept.get(meant.base), setting)),
      setting,
    ),
  ]
}

/**
 * In the workspace, files are written all the time: one is looked at where another file takes its place, or nothing does, or
 * where it holds what nothing makes again.
 */
function overwritten(loss: Loss, found: Judged | Meant, { workspace }: Setting): { loss: Loss; meant: Meant }[] {
  const slot = loss.action.paths.at(-1)
  const meant = slot && meantBy(loss.action, slot)
  if (!meant) return []
  const away = 'row' in found && found.row === 'elsewhere'
  const inside = !('row' in found)
  const dear =
    loss.overwrites === 'replaced' ||
    loss.overwrites === 'emptied' ||
    (loss.overwrites === 'written' && isPrecious(meant.base, workspace))
  return away || (inside && dear) ? [{ loss: { ...loss, away }, meant }] : []
}

/** What one command takes in several places is one list of files. */
function together(all: readonly Taken[], setting: Setting): Stake[] {
  const byCommand = new Map<string, [Taken, ...Taken[]]>()
  for (const each of all) {
    const key = `${each.loss.verb} ${each.loss.about} ${each.loss.blamed}`
    const before = byCommand.get(key)
    if (before) before.push(each)
    else byCommand.set(key, [each])
  }
  return [...byCommand.values()].map((some) => stakeOf(some, setting))
}

/** What the place alone says; else which files to look at. A path is written several ways: the last one follows links. */
function byPlace({ action, blamed, verb, leaves }: Loss, setting: Setting): Judged | Meant {
  let last: Judged | Meant = nothing(blamed)
  for (const slot of action.paths) {
    const meant = meantBy(action, slot)
    if (!meant) return unread(verb, blamed)
    const stake = placed(meant, action, verb, blamed, setting)
    const spared = stake?.row === 'vital' && leaves === true
    if (stake?.row === 'vital' && !spared) return stake
    last = stake === undefined || spared ? meant : stake
  }
  return last
}

const unread = (verb: string, blamed: string): Judged => ({
  row: 'unread',
  blamed,
  reason: `Which files it ${verb} is only known when it runs.`,
})

/** Undefined: git may know more. */
function placed(meant: Meant, action: PathAction, verb: string, blamed: string, setting: Setting): Judged | undefined {
  const { base, everything: all, open, test } = meant
  const shown = nameIn(base, setting.workspace, setting.home)
  // `/tmp/x-*` in a /tmp that a home lies in: what it matches is not the way to that home.
  const beside = test && !all && !open && !waysDown(base, setting).some(test)
  const place = whereIs(beside ? `${base}/_` : base, setting)
  const below = test !== undefined
  switch (place) {
    case 'vital': {
      // A file of a vital directory is not the directory; one that is found anywhere below it may be any.
      const whole = (!below && action.recursive) || all
      if (whole) return { row: 'vital', blamed, reason: `It ${verb} ${below ? 'everything in ' : ''}${shown}.` }
      if (open && action.recursive) return unread(verb, blamed)
      if (contains(setting.workspace, base)) return undefined
      return { row: isOwnFile(base, below, setting) ? 'elsewhere' : 'vital', blamed, reason: `It ${verb} ${shown}.` }
    }
    case 'inside':
      return undefined
    case 'elsewhere':
      return { row: 'elsewhere', blamed, reason: `It ${verb} ${shown}, which is outside the workspace.` }
    case 'cache':
      return { row: 'regenerable', blamed, reason: `It ${verb} a cache: ${shown}.` }
    case 'scratch':
      return { row: 'scratch', blamed, reason: `It ${verb} scratch files: ${shown}.` }
    case 'lock':
      return nothing(blamed)
  }
}

/** From a directory to the home and the workspace below it, each step. */
const waysDown = (base: string, { home, workspace }: Setting): string[] =>
  [home, workspace].flatMap((end) => {
    if (!contains(base, end) || base === end) return []
    const steps = end.slice(base === '/' ? 1 : base.length + 1).split('/')
    return steps.map((_, at) => `${base === '/' ? '' : base}/${steps.slice(0, at + 1).join('/')}`)
  })

/** `rm ~/*.log`: files of the home directory, and not the home directory. */
const isOwnFile = (base: string, below: boolean, { home }: Setting): boolean => below && contains(home, base)

/** What a loss takes, of what is there. `unknown`: git cannot say. */
interface Taken {
  loss: Loss
  lost: Lost
  unknown: boolean
  /** Something goes that is made again. */
  again: boolean
  /** Something goes that git has. */
  committed: boolean
}

function taken(loss: Loss, meant: Meant, kept: Kept | undefined, { workspace }: Setting): Taken {
  const none: Lost = { changed: [], untracked: [], ignored: [], more: false }
  // What git throws away, only git can say; where it is not, the command may mean another place.
  if (kept && !kept.repository && loss.leaves)
    return { loss, lost: none, unknown: true, again: false, committed: false }
  if (!kept?.exists) return { loss, lost: none, unknown: !kept, again: false, committed: false }
  const those = (kind: Loss['takes'][number]) =>
    loss.takes.includes(kind) ? kept[kind].filter((path) => meant.test?.(path) ?? true) : []
  const isLost = (loosely: boolean) => (path: string) =>
    loss.away === true || !isRegenerable(path, workspace, loosely || loss.overwrites !== undefined)
  const [untracked, ignored] = [those('untracked'), those('ignored')]
  const lost = {
    changed: those('changed'),
    untracked: untracked.filter(isLost(!kept.repository)),
    ignored: ignored.filter(isLost(true)),
    more: kept.more,
  }
  return { loss, lost, unknown: false, again: untracked.length + ignored.length > 0, committed: kept.repository }
}

function stakeOf(all: readonly [Taken, ...Taken[]], { workspace, home }: Setting): Stake {
  const [{ loss }] = all
  const { blamed, verb, about } = loss
  const stake = (row: RowName, reason: string): Stake => ({ about, row, blamed, reason })
  if (all.some(({ unknown }) => unknown))
    return stake('uncommitted', `It ${verb} files, and git cannot say which of them it could bring back.`)
  const union = (kind: Loss['takes'][number]) => [...new Set(all.flatMap(({ lost }) => lost[kind]))]
  const [changed, untracked, ignored] = [union('changed'), union('untracked'), union('ignored')]
  const more = all.some(({ lost }) => lost.more)
  const files = [...changed, ...untracked, ...ignored]
  if (files.length > 0 && loss.away)
    return stake('elsewhere', `It ${verb} ${nameIn(files[0]!, workspace, home)}, which is outside the workspace.`)
  if (files.length > 0) {
    const lost = { changed, untracked, ignored, more }
    const reason =
      verb === discards ? sentenceAboutChanges(changed, more, workspace) : sentenceAbout(verb, lost, workspace)
    return { ...stake(ignored.length > 0 ? 'ignored' : 'uncommitted', reason), files }
  }
  if (more) return stake('uncommitted', `It ${verb} more files than can be looked at.`)
  if (all.some(({ again }) => again)) return stake('regenerable', `It ${verb} only what is made again.`)
  if (all.some(({ committed }) => committed)) return stake('committed', `It ${verb} only what is committed.`)
  return { about, ...nothing(blamed) }
}

const nothing = (blamed: string): Judged => ({ row: 'nothing', blamed, reason: 'Nothing is lost.' })

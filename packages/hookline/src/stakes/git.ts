/** What git itself throws away: changes, untracked files, history. */

import { GIT_OPTIONS } from '../guards/shell/index.ts'
import type { PathAction, RunAction, Slot } from '../rules/index.ts'
import { isKnown, known } from '../rules/index.ts'
import { parseArguments, readOptions } from '../shell/index.ts'
import { discards, everything, type Loss } from './files.ts'
import type { Judged, Setting } from './types.ts'

const about = 'git-destroy'

/** The command as git reads it. */
export interface GitCommand {
  verb: string
  args: readonly string[]
  /** It works where the line stands, and not where an option says. */
  here: boolean
  run: RunAction
}

export function gitCommandOf(run: RunAction): GitCommand | undefined {
  const [program, ...words] = run.words.map(({ parts }) => parts.join('…'))
  if (program !== 'git') return undefined
  const fields = words.map((text) => ({ text }))
  const { operands } = parseArguments(fields, readOptions(GIT_OPTIONS), true)
  const [verb, ...args] = operands.map(({ text }) => text)
  if (verb === undefined) return undefined
  return { verb: verb.toLowerCase(), args, here: !run.extras.includes('global-option'), run }
}

/** What the guard warns of in a git command: files that go, or history that does. */
export function judgeGit(
  command: GitCommand,
  reason: string,
  blamed: string,
  touched: readonly PathAction[],
  setting: Setting,
): { losses: Loss[]; stakes: Judged[] } {
  const { verb, args, here, run } = command
  const history: Judged = { row: 'history', reason, blamed }
  const discard = (action: PathAction): Loss => ({
    action,
    blamed,
    about,
    verb: discards,
    takes: ['changed'],
    leaves: true,
  })
  switch (verb) {
    case 'push':
      return { losses: [], stakes: [judgePush(run, reason, blamed)] }
    case 'reset': {
      if (!here) return { losses: [], stakes: [{ row: 'uncommitted', reason, blamed }] }
      const moves = args.some((word) => !/^(?:-.*|HEAD|@)$/.test(word))
      return { losses: [discard(wholeTree(setting))], stakes: moves ? [history] : [] }
    }
    case 'checkout':
    case 'restore':
    case 'switch': {
      if (args.some((word) => /^-[a-zA-Z]*[BC]|^--force-create/.test(word))) return { losses: [], stakes: [history] }
      if (touched.length > 0) return { losses: touched.map(discard), stakes: [] }
      if (!here) return { losses: [], stakes: [{ row: 'uncommitted', reason, blamed }] }
      return { losses: [discard(wholeTree(setting))], stakes: [] }
    }
    case 'rm':
      return { losses: touched.map((action) => ({ ...discard(action), verb: 'deletes' })), stakes: [] }
    case 'clean':
      // Without `-f`, a setting has armed it.
      return {
        losses: (touched.length > 0 ? touched : [wholeTree(setting)]).map((action) => cleaned(action, args, blamed)),
        stakes: [],
      }
    case 'worktree':
      return {
        losses: touched.map((action) => ({ action, blamed, about, verb: 'deletes', takes: everything })),
        stakes: [],
      }
    default:
      return { losses: [], stakes: [history] }
  }
}

/** What git would rather not do: `rm -f` deletes a file with changes that are nowhere else. */
export const isForcedRemoval = ({ verb, args }: GitCommand): boolean =>
  verb === 'rm' &&
  args.some((word) => /^(?:-[a-zA-Z]*f[a-zA-Z]*|--force)$/.test(word)) &&
  !args.some((word) => /^(?:--cached|-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/.test(word))

function cleaned(action: PathAction, args: readonly string[], blamed: string): Loss {
  const letters = args.filter((word) => /^-[^-]/.test(word)).join('')
  const takes: Loss['takes'] = letters.includes('X')
    ? ['ignored']
    : letters.includes('x')
      ? ['untracked', 'ignored']
      : ['untracked']
  // It removes what git does not track, and never the directory itself.
  return { action: { ...action, recursive: true }, blamed, about, verb: 'deletes', takes, leaves: true }
}

const wholeTree = ({ workspace }: Setting): PathAction => ({
  kind: 'write',
  paths: [known(workspace)],
  recursive: true,
  shown: workspace,
  inside: [],
})

/** Branches that others build on, whatever a project calls its own. */
const protectedBranch =
  /^(?:main|master|trunk|develop|prod(?:uction)?|staging|stable|gh-pages|release(?:[/-].*)?|hotfix\/.*|v?\d+(?:\.[\dx]+)+)$/

function judgePush({ branches = [] }: RunAction, reason: string, blamed: string): Judged {
  const target = branches.find(isProtected)
  if (!target) return { row: 'history', reason, blamed }
  return { row: 'shared', blamed, reason: `${reason} Others build on ${target.parts.join('…')}.` }
}

const isProtected = (slot: Slot): boolean => isKnown(slot) && protectedBranch.test(slot.parts[0] as string)

/** A forced push that stops when somebody else has pushed: on a branch of one's own, that is how it is done. */
export function judgeLease({ verb, args, run }: GitCommand): Judged | undefined {
  if (verb !== 'push' || !args.some((word) => word.startsWith('--force-with-lease'))) return undefined
  if (args.some((word) => /^(?:-n|--dry-run)$/.test(word))) return undefined
  const target = (run.branches ?? []).find(isProtected)
  const blamed = run.shown
  if (!target)
    return { row: 'lease', blamed, reason: 'It rewrites a branch of your own, if nobody else has pushed to it.' }
  return { row: 'shared', blamed, reason: `It rewrites ${target.parts.join('…')}, which others build on.` }
}

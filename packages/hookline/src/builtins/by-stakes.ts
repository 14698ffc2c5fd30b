/** Decides about a call by what is at stake: for `at_stake` and `security`. */
import type { AtStake, BuiltinKit, Opinion, Profile } from '../core/index.ts'
import { type Kind, type Ruled, ruleOn, type Stake } from '../stakes/index.ts'
import { judgeShell } from './judge.ts'
import { ask, deny } from './parts.ts'
import { openSnapshots } from './snapshot/index.ts'
import type { SnapshotKit } from './snapshot/shadow.ts'
import { mayDelete, shellOf, type ToolCall } from './tools.ts'

export interface ByStakes {
  profile: Profile
  snapshots: boolean
  /** It is only tried: nothing is kept. */
  synthetic: boolean
  /** The kinds that it decides about; all, if absent. */
  only?: readonly Kind[] | undefined
}

/** `kept`: it passes, and what it takes away is in a snapshot. */
export interface JudgedByStakes {
  answer: 'ask' | 'deny' | 'kept'
  reason: string
  metadata: Record<string, string>
}

/** Most calls only read, or delete nothing: then nothing is looked at. */
export function judgeByStakes(
  call: ToolCall,
  args: ByStakes,
  kit: BuiltinKit,
): Promise<JudgedByStakes | undefined> | undefined {
  const judged = judgeShell(call, kit)
  if (judged ? judged.verdict === 'safe' : !mayDelete(call, kit)) return undefined
  return lookAt(call, args, kit)
}

export function asOpinion(
  { answer, reason, metadata }: JudgedByStakes,
  mode: 'deny' | 'warn',
  who: string,
  tool: string,
): Pick<Opinion, 'decision' | 'message' | 'metadata'> {
  if (answer === 'kept') return { message: [reason], metadata }
  if (mode === 'warn')
    return {
      message: [`${who} would have ${answer === 'deny' ? 'refused' : 'asked about'} ${tool}: ${reason}`],
      metadata,
    }
  return { decision: answer === 'deny' ? deny(reason) : ask(reason), metadata }
}

async function lookAt(
  call: ToolCall,
  { only, profile, snapshots, synthetic }: ByStakes,
  kit: BuiltinKit,
): Promise<JudgedByStakes | undefined> {
  const { tool_name: tool, tool_input: input } = call
  const { stakes: all, workspace } = await kit.atStake({ tool, input, ...shellOf(call, kit) })
  const stakes = only ? all.filter(({ about }) => (only as readonly string[]).includes(about)) : all
  const ruled = ruleOn(stakes as readonly Stake[], kit.audience, profile)
  if (ruled.answer === 'pass') return undefined
  const reason = reasonOf(ruled)
  const metadata = { at_stake: ruled.stakes[0]!.row, reason: ruled.stakes[0]!.reason }
  if (ruled.answer !== 'snapshot') return { answer: ruled.answer, reason, metadata }
  const files = filesOf(stakes)
  if (snapshots && (synthetic ? files.length > 0 : await keep(files, workspace, call, kit)))
    return { answer: 'kept', reason: `${keptWords(files.length)} ${reason}`, metadata }
  return { answer: 'deny', reason: `${reason} Nobody can be asked, and no snapshot could be taken.`, metadata }
}

/** Every one of a row that has no files to name could be anything: then there is nothing to keep. */
const filesOf = (stakes: readonly AtStake[]): readonly string[] => {
  const open = stakes.filter(({ row }) => row === 'uncommitted')
  return open.some(({ files }) => files === undefined) ? [] : [...new Set(open.flatMap(({ files = [] }) => files))]
}

const keptWords = (count: number): string =>
  `Kept ${count === 1 ? 'one file' : `${count} files`} in a snapshot of this session before it ran.`

/** Of one command, the first reason: what is found of its words says the same as what is found of its files. */
function reasonOf({ stakes }: Ruled): string {
  const [first] = stakes
  const perCommand = stakes.filter(({ blamed }, at) => stakes.findIndex((each) => each.blamed === blamed) === at)
  const reasons = [...new Set(perCommand.map(({ reason }) => reason))].slice(0, mostReasons)
  return `${reasons.join(' ')} The command: ${first!.blamed}`
}
const mostReasons = 3

async function keep(
  files: readonly string[],
  workspace: string,
  call: ToolCall & Session,
  kit: BuiltinKit,
): Promise<boolean> {
  const { session_id: session = '', tool_use_id: by = 'call' } = call
  if (files.length === 0 || files.some((file) => file.endsWith('/'))) return false
  try {
    const snapshots = await openSnapshots(rootedAt(workspace, kit), session)
    return (await snapshots?.keep(by, files)) === true
  } catch (error) {
    if (kit.signal.aborted) throw error
    return false
  }
}

/** All of the working tree, wherever in it the agent works. */
const rootedAt = (cwd: string, kit: BuiltinKit): SnapshotKit => ({
  cwd,
  dataDir: kit.dataDir,
  exec: (program, args, options) => kit.exec(program, args, options),
  exclusive: (path, work) => kit.exclusive(path, work),
  kind: (path) => kit.kind(path),
  now: () => kit.now(),
  read: (path, limit) => kit.read(path, limit),
  realpath: (path) => kit.realpath(path),
  remove: (path) => kit.remove(path),
  size: (path) => kit.size(path),
  write: (path, text) => kit.write(path, text),
})

/** What names the session and the call, for snapshots. */
interface Session {
  session_id?: string | undefined
  tool_use_id?: string | undefined
}

import { resolve } from 'node:path'
import {
  type Approvable,
  type Approver,
  askOn,
  type ConfigFile,
  type FileCapability,
  HooklineError,
  homeDirectory,
  type Inspection,
  type Invocation,
  isAlwaysOn,
  isDigest,
  isWaiting,
  type Layer,
  layerAt,
  note,
  onInterrupt,
  openTrust,
  type Paint,
  type Place,
  personAt,
  printable,
  programPins,
  shortened,
  showInspection,
  texts,
  unapproved,
} from 'hookline/internal'
import { expandVariables, type Team } from '../core/index.ts'
import { loadTeam } from '../team/index.ts'
import { type Capability, capabilitiesOf, withoutCapabilities } from './capabilities.ts'

/** Where a person sees what waits for approval, and can answer. */
export interface Screen {
  paint: Paint
  width(): number
  say(lines: readonly string[]): void
  /** Absent where no person watches. */
  person?: unknown
}

/**
 * The team without what its file would start, reach or allow and is not approved. A person at the terminal sees it,
 * together with the hooks of the file, and decides once; without a person it is left out, with a warning. Undefined
 * when the person interrupts.
 */
export async function approvedTeam(
  team: Team,
  cwd: string,
  invocation: Invocation,
  screen: Screen,
): Promise<Team | undefined> {
  const { file } = team
  const trust = trustFor(invocation)
  if (file === undefined || trust === undefined) return team
  const given = texts(invocation.values['trust'])
  const source = agentFile(file)
  const notTrusted = () => inspectCapabilities(trust, team, source.layer, cwd).filter(({ trusted }) => !trusted)
  const open = notTrusted()
  if (!screen.person) return withoutUnapproved(team, file, open, screen)
  const hooks = await unapproved(source, cwd, (hook) => !isAlwaysOn(hook))
  const waiting = hooks.filter((each) => isWaiting(each) && !given.includes(each.digest))
  const shown = [...waiting, ...open.map(({ inspection }) => inspection)]
  if (shown.length === 0) return team
  const question = 'Approve it, and remember that? If not, the agent runs without it.'
  const answer = await ask(trust, shortened(file, process.cwd()), shown, question, invocation, screen)
  if (answer === undefined) return undefined
  return withoutUnapproved(team, file, notTrusted(), screen, !answer)
}

/** Whether what a toolset starts, or this command line of it, is still what was approved; if not, what to say. */
export function recheckBeforeStart(
  team: Team,
  cwd: string,
  invocation: Invocation,
): (toolset: unknown, command?: string) => string | undefined {
  const { file } = team
  const trust = trustFor(invocation)
  if (file === undefined || trust === undefined) return () => undefined
  const { layer } = agentFile(file)
  return (toolset, command) => {
    const changed = inspectCapabilities(trust, team, layer, cwd).find(
      ({ capability: { of, run }, trusted }) =>
        !trusted && of.includes(toolset) && (command === undefined || run['command'] === command),
    )
    return (
      changed &&
      note('agent-power-changed', { id: changed.capability.id, file: shortened(file, process.cwd()) }).message
    )
  }
}

/** Undefined with `--trust all`: everything counts as approved. */
export function trustFor({ values }: Invocation): Approver | undefined {
  const given = texts(values['trust'])
  return given.includes('all') ? undefined : openTrust({ digests: given.filter(isDigest) })
}

/** Shows it, and asks once. Undefined when the person interrupts. */
export async function ask(
  trust: Approver,
  file: string,
  shown: readonly Inspection<Approvable>[],
  question: string,
  invocation: Invocation,
  { say, paint, width }: Screen,
): Promise<boolean | undefined> {
  say([
    `${paint.yellow('?')} ${paint.bold(printable(file))} brings this along, and nobody has approved it as it is now:`,
    '',
  ])
  for (const each of shown) say([...showInspection(each, paint, width()), ''])
  const approvable = shown.filter(({ state }) => state !== 'refused')
  if (approvable.length === 0) return false
  const { input, output } = invocation
  const interrupt = onInterrupt()
  const asker = askOn(input, output, interrupt.signal)
  const yes = (await asker.ask(`${question} [y/N] `)) && (await isProven(invocation, trust, asker, say))
  asker.close()
  interrupt.release()
  if (interrupt.signal.aborted) return undefined
  if (yes) await trust.approve(approvable, shown)
  return yes
}

/** Whoever said yes proves to be a person; where nobody can be one, the agent runs without it, and says why. */
async function isProven(
  { input, output }: Invocation,
  trust: Approver,
  asker: ReturnType<typeof askOn>,
  say: Screen['say'],
): Promise<boolean> {
  try {
    return await personAt({ input, errors: output }, trust.store.directory).confirm(asker)
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    say([printable(error.message)])
    return false
  }
}

/** `shown`: the person has just seen all of it. */
function withoutUnapproved(
  team: Team,
  file: string,
  open: readonly InspectedCapability[],
  { say }: Screen,
  shown = false,
): Team {
  if (open.length === 0) return team
  const name = shortened(file, process.cwd())
  const what = open.map(({ capability, inspection: { state } }) => {
    const changed = state === 'changed' ? ' (changed since it was approved)' : ''
    return `\n  ${capability.id}${changed} ${capability.does}: ${settingsOf(capability)}`
  })
  const { message, remedy } = note('agent-file-unapproved', { file: name, what: what.join('') })
  say(shown ? ['Not approved: the agent runs without it.'] : [printable(message), printable(remedy)])
  const left = withoutCapabilities(
    team,
    open.map(({ capability }) => capability),
  )
  const mute = Object.values(left.agents).find(({ models }) => models.length === 0)
  if (mute) throw new HooklineError(note('agent-model-unapproved', { agent: mute.name, file: name }))
  return left
}

/** The settings in short; the remedy names the command that shows all of them. */
function settingsOf({ run: { type: _, ...settings }, env }: Capability): string {
  const { command, args, url, allow } = settings as { command?: string; args?: unknown; url?: string; allow?: string[] }
  if (command !== undefined) return [command, ...(Array.isArray(args) ? args : [])].join(' ')
  return url ?? allow?.join(', ') ?? JSON.stringify({ ...settings, ...env })
}

export interface InspectedCapability {
  capability: Capability
  inspection: Inspection<FileCapability>
  /** Whether it may count: what is approved where the workspace could have written it is not. */
  trusted: boolean
}

/** What a team would do without asking, and whether it is approved. Nothing is started. */
export function inspectCapabilities(trust: Approver, team: Team, layer: Layer, cwd: string): InspectedCapability[] {
  const { file } = team
  if (file === undefined) return []
  return capabilitiesOf(team).map((capability) => {
    const { id, does: description, run, env, workingDir } = capability
    const brought: FileCapability = { id, description, run, env, workingDir, origin: { layer, where: { file } } }
    const place = placeOf(capability, cwd)
    return { capability, inspection: trust.inspect(brought, place), trusted: trust.check(brought, place).trusted }
  })
}

/** The same of those of these files that are agent files. One that cannot be run brings nothing. */
export async function capabilitiesOfFiles(
  trust: Approver,
  files: readonly ConfigFile[],
  cwd: string,
): Promise<Inspection<FileCapability>[]> {
  const found = await Promise.all(
    files.map(async ({ file, layer, text }) => {
      if (text !== undefined) return []
      const team = await loadTeam(file).then(
        (loaded) => loaded.team,
        () => undefined,
      )
      return team ? inspectCapabilities(trust, team, layer, cwd).map(({ inspection }) => inspection) : []
    }),
  )
  return found.flat()
}

/** Toolsets that start a program name it as hooks do; the others run nothing else. */
const pinsOf = ({ type, ...settings }: Capability['run']) =>
  type === 'command' || type === 'mcp' ? programPins(settings) : []

/** Where it would start, and what variables would make of it, as the toolsets have it. */
function placeOf({ workingDir = '.', env }: Capability, cwd: string): Place {
  const fill = (text: string) => expandVariables(text, process.env)
  const directory = fill(workingDir).replace(/^~(?=\/|$)/, homeDirectory())
  const variable = (name: string) => (Object.hasOwn(env, name) ? fill(env[name]!) : process.env[name])
  return { directory: resolve(cwd, directory), variable, fill, pins: pinsOf }
}

/** Agent files are the project's, wherever they come from: what they run is approved like everything else that a project brings. */
export const agentFile = (file: string): ConfigFile => ({
  file,
  layer: layerAt(file, { home: homeDirectory() }) ?? 'project',
  dialect: 'docker-agent',
})

import { hostname } from 'node:os'
import { HooklineError, note } from '../../core/index.ts'
import { connectDaemon } from '../../daemon/index.ts'
import {
  addressOf,
  type Enrolment,
  enrol,
  fleetDirectory,
  fleetPolicy,
  forget,
  machineDirectory,
  openMachine,
  ownDirectory,
  readEnrolment,
} from '../../fleet/index.ts'
import { startDaemonHere } from '../../install/index.ts'
import { refuseAgents } from '../../person/index.ts'
import { openTrust } from '../../trust/index.ts'
import { defineCommand, type Invocation, readAll, text, UsageError } from '../command.ts'
import { recordNote } from '../journal-note.ts'
import { requirePerson } from '../person.ts'
import { usable } from '../policy/follow.ts'
import { paintFor } from '../text/paint.ts'

export const command = defineCommand({
  name: 'enroll',
  summary: 'Join a fleet: this machine takes its policy from a server, by a key of its own.',
  usage: 'enroll <url> --token <token> [--name <name>] [--user] | enroll --status | enroll --leave',
  doc: [
    'An administrator of the server makes a token (`POST /api/enrolments`), for one machine unless they say otherwise. This',
    'command makes a key pair, whose private half never leaves the machine, and lets the server know the public one.',
    'From then on the machine proves who it is by that key; the token is used up.',
    '',
    'As root it enrols the machine, for everybody on it; otherwise, or with --user, you alone. Since a policy decides what',
    'runs before your tools, it needs you at a terminal, or --yes with HOOKLINE_APPROVE_TOKEN; root needs neither.',
  ].join('\n'),
  options: {
    token: { value: 'token', doc: 'What the administrator gave you; `-` reads it from the input.' },
    name: { value: 'name', doc: 'What to call this machine. Default: its host name.' },
    root: {
      value: 'sha256:…',
      doc: 'Take only a policy with this root, as `hookline policy status` shows it. Default: the one that the server has first.',
    },
    policy: { value: 'url', doc: 'Where the policy lies, if not with the server: an https:// or file:// address.' },
    user: { doc: 'For this user alone, also as root.' },
    status: { doc: 'Show where this machine is enrolled, and whether the server still knows it.' },
    leave: { doc: 'Leave: the key and the policy are deleted here, and the server revokes the machine.' },
    yes: { doc: 'Without a terminal. Needs HOOKLINE_APPROVE_TOKEN.' },
    json: { doc: 'Print one JSON object.' },
  },
  examples: ['hookline enroll https://hooks.example.com --token hle_…', 'hookline enroll --status'],
  exits: { 1: 'The server refused or does not answer; or this machine is enrolled nowhere.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, positionals } = invocation
    const [url, ...rest] = positionals
    const wanted = [url !== undefined, values['status'] === true, values['leave'] === true].filter(Boolean).length
    if (wanted !== 1 || rest.length > 0)
      throw new UsageError('`hookline enroll` takes the address of a server, `--status` or `--leave`.')
    if (values['status']) return status(invocation)
    return values['leave'] ? leave(invocation) : join(invocation, url!)
  },
})

async function join(invocation: Invocation, url: string): Promise<number> {
  const { values, output, input } = invocation
  const directory = values['user'] || !isRoot() ? ownDirectory() : machineDirectory()
  mustBeFree(fleetDirectory())
  addressOf(url)
  const given = text(values['token'])
  if (given === undefined) throw new UsageError('`--token` is missing: an administrator of the server makes one.')
  const token = given === '-' ? (await readAll(input)).trim() : given
  const name = (text(values['name']) ?? hostname()).slice(0, 100) || 'unnamed'
  await mustBeAllowed(invocation, directory)
  const policy = policyAddress(text(values['policy']))
  const enrolment = await enrol(directory, { url, token, name, policy, root: rootDigest(text(values['root'])) })
  await recordNote(note('enrolled', { server: enrolment.server, machine: enrolment.machine }), {}, invocation)
  const { isTaken, words: fetched } = await fetchFirst(directory)
  const follows = await startFollowing()
  if (values['json']) output.write(`${JSON.stringify({ ...enrolment, directory, policy_state: fetched, follows })}\n`)
  else
    output.write(
      `${paintFor(output).green('Enrolled.')} ${describe(enrolment)}\nIts key is in ${directory}.\n${fetched}\n${follows ? followed : unfollowed}\n`,
    )
  return isTaken ? 0 : 1
}

const followed =
  'A daemon keeps the policy up to date and sends the journal. Let it start with the machine: deploy/systemd has a unit.'
const unfollowed =
  'No daemon could be started, so nothing keeps the policy up to date: run `hookline daemon`, best as a service.'

/** What became of the first attempt, in words. Enrolled it is, whatever that was: the daemon goes on trying. */
async function fetchFirst(directory: string): Promise<{ isTaken: boolean; words: string }> {
  const { fetchPolicy, sourceOf, Unreachable } = await import('../../fleet/fetch/index.ts')
  try {
    await fetchPolicy(directory, sourceOf(directory), usable)
    return { isTaken: true, words: 'Its policy is in force.' }
  } catch (error) {
    if (error instanceof Unreachable)
      return { isTaken: true, words: `No policy is in force: ${error.message} The daemon goes on trying.` }
    if (error instanceof HooklineError) return { isTaken: false, words: error.message }
    throw error
  }
}

/** A daemon that runs already knows nothing of this: another takes its place, and keeps the policy up to date. */
async function startFollowing(): Promise<boolean> {
  await stopDaemon()
  return startDaemonHere()
}

async function stopDaemon(): Promise<void> {
  const daemon = await connectDaemon()
  await daemon?.stop().catch(() => {})
  daemon?.close()
}

function rootDigest(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const [, digest] = /^(?:sha256:)?([0-9a-f]{64})$/.exec(given) ?? []
  if (digest === undefined) throw new UsageError('`--root` takes a digest, as `hookline policy status` shows it.')
  return digest
}

function policyAddress(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  if (/^(?:https|file):\/\//.test(given) && URL.canParse(given)) return given.replace(/\/+$/, '')
  const { origin, pathname } = new URL(given, `${addressOf(given)}/`)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

async function status({ values, output, errors }: Invocation): Promise<number> {
  const directory = mustBeEnrolled()
  const enrolment = readEnrolment(directory)
  const { state, detail } = await stateAtServer(directory)
  if (values['json']) {
    output.write(`${JSON.stringify({ ...enrolment, directory, state, detail: detail ?? null })}\n`)
    return state === 'refused' ? 1 : 0
  }
  output.write(`${describe(enrolment)}\nIts key is in ${directory}.\n${await policyLine(directory)}\n`)
  if (detail !== undefined) errors.write(`${detail}\n`)
  return state === 'refused' ? 1 : 0
}

/** What is in force, and what is wrong with it. */
async function policyLine(directory: string): Promise<string> {
  const found = fleetPolicy()
  const { lastFailure, openPolicy } = await import('../../fleet/policy.ts')
  if (found === undefined) {
    const failed = lastFailure(directory)
    return failed === undefined
      ? 'No policy is in force: the fleet has published none yet, or it was not fetched.'
      : `No policy is in force: ${failed}`
  }
  if ('refused' in found) return found.refused.message
  try {
    const { version, notes, problems } = openPolicy(found.file)
    return [
      `Policy ${version} is in force, from ${directory}.`,
      ...[...problems, ...notes].map(({ message }) => message),
    ].join('\n')
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    return error.message
  }
}

/** Root's key is root's to read: for others, that there is one is all there is to say. */
async function stateAtServer(directory: string): Promise<{ state: 'known' | 'refused' | 'unknown'; detail?: string }> {
  if (directory === machineDirectory() && !isRoot())
    return {
      state: 'unknown',
      detail: 'Root has enrolled it, and looks after it; what the server says of it, only root can find out.',
    }
  try {
    const response = await openMachine(directory).fetch('/api/machines/me')
    await response.body?.cancel()
    return response.ok ? { state: 'known' } : { state: 'refused', detail: `The server answers ${response.status}.` }
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    return { state: error.code === 'enroll-refused' ? 'refused' : 'unknown', detail: error.message }
  }
}

async function leave(invocation: Invocation): Promise<number> {
  const { values, output, errors } = invocation
  const directory = mustBeEnrolled()
  if (directory === machineDirectory() && !isRoot())
    throw new HooklineError(note('enrolled-already', { ...serverOf(directory), how: ' as root' }))
  await mustBeAllowed(invocation, directory)
  const { server, machine } = serverOf(directory)
  const untold = await tellServer(directory)
  // It would go on for a fleet that is none any more; the next call of an agent starts another.
  await stopDaemon()
  forget(directory)
  await recordNote(note('unenrolled', { server, machine }), {}, invocation)
  if (untold !== undefined)
    errors.write(`The server was not told; an administrator can revoke ${machine} there. ${untold}\n`)
  if (values['json']) output.write(`${JSON.stringify({ server, machine, told: untold === undefined })}\n`)
  else output.write(`This machine has left ${server}. Its key is deleted.\n`)
  return 0
}

/** Who leaves goes, whether or not the server can be reached. Gives back why it was not told. */
async function tellServer(directory: string): Promise<string | undefined> {
  try {
    const response = await openMachine(directory).fetch('/api/machines/me', { method: 'DELETE' })
    await response.body?.cancel()
    return response.ok || response.status === 401 ? undefined : `It answered ${response.status}.`
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    return error.message
  }
}

/** What a policy brings runs here: an agent must not choose one, nor be rid of it. Root could write the administrator's files as well. */
async function mustBeAllowed(invocation: Invocation, directory: string): Promise<void> {
  if (directory === machineDirectory()) refuseAgents()
  else await requirePerson(invocation, openTrust().store.directory)
}

function mustBeFree(directory: string | undefined): void {
  if (directory === undefined) return
  const how = directory === machineDirectory() && !isRoot() ? ' as root' : ''
  throw new HooklineError(note('enrolled-already', { ...serverOf(directory), how }))
}

function mustBeEnrolled(): string {
  const directory = fleetDirectory()
  if (directory === undefined) throw new HooklineError(note('enrolled-nowhere', {}))
  return directory
}

/** Also where what is kept of it is broken: it must be possible to leave then. */
function serverOf(directory: string): { server: string; machine: string } {
  try {
    const { server, machine } = readEnrolment(directory)
    return { server, machine }
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    return { server: 'a server', machine: 'a machine' }
  }
}

const describe = ({ server, machine, name, group, enrolled }: Enrolment): string =>
  `This machine is ${name} (${machine}), in the group ${group} of ${server}, since ${enrolled}.`

const isRoot = (): boolean => process.getuid?.() === 0

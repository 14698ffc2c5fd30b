import { closeSync, writeSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import {
  connectDaemon,
  type DaemonConnection,
  type DaemonStatus,
  openDaemon,
  openLog,
  openQuestions,
  readLog,
  socketPath,
} from '../../daemon/index.ts'
import {
  fleetDirectory,
  homesHere,
  journalsIn,
  machineDirectory,
  openMachine,
  openShippers,
  type Shipper,
} from '../../fleet/index.ts'
import { engineName, entryPath, installedEngine, startDaemonHere, whenReplaced } from '../../install/index.ts'
import { agentAbove, noPersonAt } from '../../person/index.ts'
import { version } from '../../platform/index.ts'
import { openTrust } from '../../trust/index.ts'
import { defineCommand, type Invocation, text, UsageError } from '../command.ts'
import { journalOfOthers, journalToRead } from '../journal-for.ts'
import { followFleet } from '../policy/follow.ts'
import { openWarmHooks } from '../warm-hooks.ts'

/** Nobody has called for so long: it ends, and the next call starts another. */
const usualIdleSeconds = 30 * 60
/** How often it looks for lines of the journal that the server of the fleet has not got. */
const shipMs = 2_000

export const command = defineCommand({
  name: 'daemon',
  summary: 'Keep hooks loaded for the agents of this user; started by itself when an agent calls.',
  usage: 'daemon [status|stop|logs] [options]',
  doc: [
    'Agents start a process for every call. That process hands the event to the daemon, which has all hooks loaded, and prints',
    'its answer. There is one daemon per user; it starts with the first call and ends when nobody has called for a while;',
    'on a machine that is enrolled in a fleet it stays, and keeps its policy up to date.',
    'Without it, every call loads all hooks: slower, and otherwise the same.',
  ].join('\n'),
  options: {
    json: { doc: 'Print the status as JSON.' },
    idle: { value: 'seconds', doc: `End after so long without a call. Default: ${usualIdleSeconds}.` },
    'ready-fd': { value: 'number', doc: 'Write a byte there once it listens. The client of agents uses it.' },
  },
  choices: ['status', 'stop', 'logs'],
  examples: ['hookline daemon status', 'hookline daemon stop'],
  exits: { 1: 'No daemon runs; or it does not stop, since this runs under an agent.', 64: 'Wrong usage.' },
  async run(invocation) {
    const [action, ...rest] = invocation.positionals
    const known = action === undefined || Object.hasOwn(actions, action)
    if (!known || rest.length > 0) throw new UsageError('`hookline daemon` takes `status`, `stop`, `logs` or nothing.')
    return action === undefined ? runDaemon(invocation) : actions[action]!(invocation)
  },
})

async function runDaemon({ values, output }: Invocation): Promise<number> {
  const engine = engineName()
  const ready = text(values['ready-fd'])
  // Started by a client that was replaced meanwhile: the daemon of the new one is to stay.
  if (ready !== undefined && (installedEngine(entryPath()) ?? engine) !== engine) return 0
  process.umask(0o077)
  process.chdir('/')
  // It is there all day beside other programs: a third less memory with twenty projects, and no slower (bench/daemon.mjs).
  setFlagsFromString('--optimize-for-size')
  const log = openLog()
  const questions = openQuestions()
  const fleet = await followFleet(log)
  const daemon = await openDaemon({
    ...openWarmHooks(log, questions),
    questions,
    mayNotAnswer: (pid) => noPersonAt(pid, openTrust().store.directory),
    mayNotStop,
    ...{
      socket: socketPath(),
      engine,
      version: version(),
      idleMs: fleet ? Number.POSITIVE_INFINITY : idleMs(values),
      log,
    },
  })
  if (ready !== undefined) announce(Number(ready))
  if (!daemon) {
    await fleet?.stop()
    if (ready === undefined) output.write('A daemon of this version runs already.\n')
    return 0
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => daemon.stop(signal))
  process.on('uncaughtException', (error) => {
    log(`error: ${error.stack ?? error.message}`)
    process.exit(1)
  })
  const shipper = await shipJournal(log)
  let isReplaced = false
  // One that stays for ever outlives its own package: then the new version goes on.
  const forget =
    fleet &&
    whenReplaced(() => {
      isReplaced = true
      daemon.stop('its package was replaced')
    })
  await daemon.ended
  forget?.()
  await shipper?.close()
  await fleet?.stop()
  if (isReplaced) await startDaemonHere()
  process.exit(0)
}

/** What happens on a machine of a fleet goes to its server. Where that cannot be, agents are answered all the same. */
async function shipJournal(log: (line: string) => void): Promise<Pick<Shipper, 'close'> | undefined> {
  const directory = fleetDirectory()
  if (directory === undefined) return undefined
  const isOfAll = directory === machineDirectory()
  // Only root has the key of the machine: root's daemon sends the journals of everybody.
  if (isOfAll && process.getuid?.() !== 0) return undefined
  try {
    const own = await journalToRead({ values: {} })
    const others = async () => (isOfAll ? journalsIn(homesHere(), await journalOfOthers()) : [])
    return openShippers({ machine: openMachine(directory), own, others, directory, log, everyMs: shipMs })
  } catch (error) {
    log(`the journal is not sent: ${(error as Error).message}`)
    return undefined
  }
}

/** Nothing would pass without it, but questions that wait would be refused, and each call would take longer. */
function mayNotStop(pid: number): string | undefined {
  const agent = agentAbove(pid)
  return agent === undefined
    ? undefined
    : `The daemon does not end for what runs under an agent, and this runs under ${agent}.`
}

/** Whoever waits for it may have lost patience. */
function announce(descriptor: number): void {
  try {
    writeSync(descriptor, '1')
    closeSync(descriptor)
  } catch {
    // Then nobody waits.
  }
}

function idleMs(values: Invocation['values']): number {
  const given = Number(text(values['idle']) ?? usualIdleSeconds)
  if (!(given > 0)) throw new UsageError('`--idle` takes a number of seconds.')
  return given * 1000
}

const actions: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  async status({ values, output }) {
    const status = await ask((daemon) => daemon.request('status', {}))
    if (values['json']) output.write(`${JSON.stringify(status ?? null, null, 2)}\n`)
    else output.write(status ? shown(status) : nobody)
    return status ? 0 : 1
  },
  async stop({ output, errors }) {
    try {
      const stopped = await ask((daemon) => daemon.stop())
      output.write(stopped ? 'The daemon ends. The next call of an agent starts another.\n' : nobody)
      return stopped ? 0 : 1
    } catch (error) {
      errors.write(`${(error as Error).message}\n`)
      return 1
    }
  },
  async logs({ output }) {
    output.write(readLog())
    return 0
  },
}

const nobody = 'No daemon runs. The next call of an agent starts one.\n'

async function ask<T>(request: (daemon: DaemonConnection) => Promise<T>): Promise<T | undefined> {
  const connection = await connectDaemon()
  try {
    return connection && (await request(connection))
  } finally {
    connection?.close()
  }
}

function shown({ pid, version, engine, since, rssBytes, calls, projects, pending, attended }: DaemonStatus): string {
  const rows = [
    ['process', `${pid}, ${Math.round(rssBytes / 1024 / 1024)} MB, since ${since}`],
    ['version', `${version} (${engine})`],
    ['calls', `${calls.served} answered, ${calls.running} running, ${calls.declined} left to a process of their own`],
    ['questions', `${pending} waiting, ${attended ? 'somebody is there to answer' : 'nobody is there to answer'}`],
    ...projects.map(({ cwd, hooks, calls }, at) => [
      at === 0 ? 'projects' : '',
      `${cwd}  ${hooks} hooks, ${calls} calls`,
    ]),
  ]
  return rows.map(([name = '', value]) => `${name.padEnd(11)}${value}\n`).join('')
}

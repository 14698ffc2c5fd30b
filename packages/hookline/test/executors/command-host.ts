/** A host of its own, to be ended or starved without harm to the tests: `command-host.ts <act> <json>`. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createCommandExecutor } from '../../src/executors/command/index.ts'
import { answerOf, makeCall } from '../support/call.ts'

const [act, argument] = process.argv.slice(2) as [keyof typeof acts, string]
const options = JSON.parse(argument) as { env: Record<string, string>; forkServer?: boolean; workingDir?: string }
const executor = createCommandExecutor({ forkServerAbove: options.forkServer ? 0 : Number.POSITIVE_INFINITY })
const say = (text: unknown) => process.stdout.write(`${JSON.stringify(text)}\n`)

const run = (command: string) =>
  answerOf(executor, { command }, makeCall({ type: 'command', command }, { timeoutMs: 20_000, ...options })).then(
    (reply) => reply,
    ({ kind, message, remedy }) => ({ kind, message, remedy }),
  )

async function untilForkServer(): Promise<void> {
  while (Number(((await run('echo $PPID')) as { stdout: string }).stdout) === process.pid) await pause(20)
}

/**
 * Root may enter and start anything, so the host goes on as an ordinary user, who may not be able to read the project or
 * Node itself: all that the executor loads on its way to a hook, or to a failure, is loaded before.
 */
async function becomeNobody(): Promise<void> {
  const { workingDir } = options
  options.workingDir = `${workingDir}/missing`
  await run('echo never')
  delete options.workingDir
  await run('true')
  Object.assign(options, { workingDir })
  process.chdir('/')
  process.setgroups?.([])
  process.setgid?.(65534)
  process.setuid?.(65534)
}

const acts = {
  /** Where the descriptor leads that somebody left open in this host. */
  async handed() {
    if (options.forkServer) await untilForkServer()
    say(await run('readlink /proc/self/fd/200'))
    await executor.close?.()
  },
  /** Starts a hook that lasts, says so, and waits for its own end. */
  async last() {
    if (options.forkServer) await untilForkServer()
    void run('sleep 300 & sleep 300')
    await pause(300)
    say('running')
    process.stdin.once('data', () => process.exit(0))
    process.stdin.on('end', () => process.exit(0))
  },
  /** Ends by itself although nobody closed anything. */
  async idle() {
    if (options.forkServer) await untilForkServer()
    say(await run('echo done'))
  },
  /** In a directory that it may not enter, and then with no process left to start. */
  async crowd() {
    await becomeNobody()
    say(await run('echo never'))
    execFileSync('prlimit', ['--nproc=1:1', '--pid', String(process.pid)])
    delete options.workingDir
    say(await run('echo never'))
    await executor.close?.()
  },
  /** With no file descriptor left: a hook, and another while room comes back. */
  async starve() {
    await run('true')
    const taken: number[] = []
    try {
      for (;;) taken.push(openSync('/dev/null', 'r'))
    } catch {}
    say(await run('echo never'))
    setTimeout(() => taken.forEach(closeSync), 150)
    say(await run('echo recovered'))
    await executor.close?.()
  },
}

await acts[act]()

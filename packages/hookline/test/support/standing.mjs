import { closeSync, openSync, ReadStream } from 'node:fs'
import { promisify } from 'node:util'

/**
 * Runs the built command line again and again in one process, each time with the arguments, environment, directory and
 * standard files it is given: a start costs more than most commands. What Node calls the end of a process is the end of
 * a command here too: nothing is left that it waits for; timers that nothing waits for end with it, and listeners for
 * signals. A command that leaves something to its exit ends with its process.
 */
const [, , binary] = process.argv
const commandLine = new URL('../../dist/cli.js', import.meta.url)
const variables = process.env
const timers = new Set()
let commands = 0

for (const name of ['setTimeout', 'setInterval']) {
  const start = globalThis[name]
  const remembered = (...given) => {
    const timer = start(...given)
    timers.add(timer)
    return timer
  }
  globalThis[name] = Object.assign(remembered, { [promisify.custom]: start[promisify.custom] })
}

process.on('message', async ({ args, cwd, env, files }) => {
  process.channel.unref()
  process.chdir(cwd)
  takeEnvironment(env)
  takeFiles(files)
  process.argv = [process.execPath, binary, ...args]
  process.exitCode = undefined
  await import(`${commandLine}?${++commands}`)
})

process.on('beforeExit', () => {
  if (!process.connected || process.listenerCount('exit') > 0) process.exit()
  for (const timer of timers) clearTimeout(timer)
  timers.clear()
  for (const name of process.eventNames()) if (/^SIG/.test(String(name))) process.removeAllListeners(name)
  process.channel.ref()
  process.send({ exit: process.exitCode ?? 0 })
})

/** Another object each time, so that nobody takes an earlier one for it; the system's own is what `os.homedir()` reads. */
function takeEnvironment(env) {
  for (const name of Object.keys(variables)) delete variables[name]
  Object.assign(variables, env)
  process.env = { ...env }
}

/** The lowest free descriptor is the one that was just closed. */
function takeFiles(files) {
  for (const [descriptor, file] of files.entries()) {
    closeSync(descriptor)
    openSync(file, descriptor === 0 ? 'r' : 'a')
  }
  let input
  Object.defineProperty(process, 'stdin', {
    configurable: true,
    get: () => (input ??= new ReadStream(null, { fd: 0, autoClose: false })),
  })
}

import { createInterface } from 'node:readline'
import { spawn } from '@lydell/node-pty'

/**
 * Holds one terminal, as a window does: it is started by nobody that a test runs under, so that what a person does in
 * it is the same wherever the tests run. Reads and writes one JSON line per message; ends with whoever talks to it.
 */
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
const lines = createInterface({ input: process.stdin })
let child
lines.on('line', (line) => {
  const { start, keys, size, signal, hangUp, close } = JSON.parse(line)
  if (start) {
    child = spawn(start.file, start.args, start.options)
    say({ pid: child.pid })
    child.onData((shown) => say({ shown }))
    child.onExit(({ exitCode }) => {
      say({ exit: exitCode })
      process.exit()
    })
  }
  if (keys !== undefined) child?.write(keys)
  if (size) child?.resize(size.columns, size.rows)
  if (signal) process.kill(child.pid, signal)
  // The window is closed: whoever runs in it gets SIGHUP, and can neither read nor write any more.
  if (hangUp) child.destroy()
  // The same, and nobody but the system says so.
  if (close) process.exit()
})
lines.on('close', () => {
  if (child) process.kill(child.pid, 'SIGKILL')
  process.exit()
})

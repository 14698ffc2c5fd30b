import { createInterface } from 'node:readline'
import { spawn } from '@lydell/node-pty'

/**
 * Holds terminals, as windows do: it is started by nobody that a test runs under, so that what a person does in them is the
 * same wherever the tests run. Reads and writes one JSON line per message, with the number of the terminal that it is about;
 * ends with whoever talks to it, and every program in its terminals with it.
 */
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
const lines = createInterface({ input: process.stdin })
const children = new Map()
lines.on('line', (line) => {
  const { id, start, keys, size, hangUp, close, end } = JSON.parse(line)
  if (start) open(id, start)
  const child = children.get(id)
  if (keys !== undefined) child?.write(keys)
  if (size) child?.resize(size.columns, size.rows)
  // The window is closed: whoever runs in it gets SIGHUP, and can neither read nor write any more.
  if (hangUp) child?.destroy()
  if (end && child) kill(child)
  // As when it is hung up, and nobody but the system says so.
  if (close) process.exit()
})
lines.on('close', () => {
  for (const child of children.values()) kill(child)
  process.exit()
})

function open(id, { file, args, options }) {
  const child = spawn(file, args, options)
  children.set(id, child)
  say({ id, pid: child.pid })
  child.onData((shown) => say({ id, shown }))
  child.onExit(({ exitCode }) => {
    children.delete(id)
    say({ id, exit: exitCode })
  })
}

function kill({ pid }) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended in this moment.
  }
}

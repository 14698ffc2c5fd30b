import { spawn } from 'node:child_process'

/**
 * The floor of every command hook: start it, hand it the payload, read all its output, wait until it is gone. Nothing is
 * bounded, timed or understood.
 */
export function bareSpawn(file, args, input, place = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'pipe', ...place })
    const out = []
    const err = []
    child.stdin.on('error', () => {})
    child.stdout.on('data', (chunk) => out.push(chunk))
    child.stderr.on('data', (chunk) => err.push(chunk))
    child.on('error', reject)
    child.on('close', (exit) =>
      resolve({ exit, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    )
    child.stdin.end(input)
  })
}

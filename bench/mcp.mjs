import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { interleave } from './kit/measure.mjs'
import { atMost, row, time } from './kit/row.mjs'

const server = fileURLToPath(new URL('kit/mcp-server.mjs', import.meta.url))
const cli = fileURLToPath(new URL('../packages/hookline/bin/hookline.js', import.meta.url))

/** One client and the same server twice, plain and behind the guard, each in processes of their own. */
export default async function ({ quick }) {
  const place = mkdtempSync(join(tmpdir(), 'hookline-bench-'))
  writeFileSync(join(place, 'hookline.yaml'), 'version: 1\nuse: [security, secrets]\n')
  const env = { ...process.env, HOME: place, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', XDG_DATA_HOME: '' }
  const plain = connect([server], { cwd: place, env })
  const guarded = connect([cli, 'mcp', '--name', 'bench', '--trust', 'all', '--', process.execPath, server], {
    cwd: place,
    env,
  })
  try {
    await Promise.all([plain.begin(), guarded.begin()])
    const { ours, other } = await interleave(
      { ours: () => guarded.call(), other: () => plain.call() },
      { rounds: quick ? 200 : 1000 },
    )
    return [
      row({
        what: '`hookline mcp` with two bundles: added to a call',
        ours: time(ours),
        other: `without it: ${time(other)}`,
        ratio: ours.p50 / other.p50,
        bar: atMost(1, ' ms'),
        value: ours.p50 - other.p50,
        note: `added: ${((ours.p50 - other.p50) * 1000).toFixed(0)} µs at p50`,
      }),
    ]
  } finally {
    await Promise.all([plain.end(), guarded.end()])
    rmSync(place, { recursive: true, force: true })
  }
}

function connect(args, options) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map()
  let ids = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = async (method, params) => {
    const id = ++ids
    const answer = new Promise((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    const { result, error } = await answer
    if (error || result.isError) throw new Error(JSON.stringify(error ?? result))
    return result
  }
  return {
    async begin() {
      const capabilities = {}
      await ask('initialize', {
        protocolVersion: '2025-06-18',
        capabilities,
        clientInfo: { name: 'bench', version: '1' },
      })
      send({ method: 'notifications/initialized' })
      await ask('tools/list', {})
    },
    call: () => ask('tools/call', { name: 'look_up', arguments: { order: ids } }),
    end() {
      const gone = new Promise((resolve) => child.on('exit', resolve))
      child.stdin.end()
      return gone
    },
  }
}

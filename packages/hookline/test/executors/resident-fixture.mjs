/** A resident hook that behaves as its arguments say, or else as the payload says: `tool_input: { act, value }`. */
import { spawn } from 'node:child_process'

const [givenAct, givenValue] = process.argv.slice(2)
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const acts = {
  answer: (id, value) => say({ id, result: value === '' ? undefined : JSON.parse(value) }),
  text: (id, value) => say({ id, result: value }),
  echo: (id, _, params) => say({ id, result: params }),
  pid: (id) => say({ id, result: process.pid }),
  depth: (id) => say({ id, result: process.env.HOOKLINE_DEPTH }),
  env: (id, value) => say({ id, result: process.env[value] ?? null }),
  error: (id, value) => say({ id, error: { code: -32000, message: value } }),
  raw: (id, value) => process.stdout.write(value.replaceAll('ID', id)),
  bytes: (_, value) => process.stdout.write(Buffer.from(value, 'latin1')),
  noise: (id, value) => {
    process.stdout.write(`${value}\n`)
    say({ id, result: { decision: 'deny', reason: 'told anyway' } })
  },
  slow: (id, value) => sleep(Number(value)).then(() => say({ id, result: process.pid })),
  never: () => {},
  /** Ignores SIGTERM, has a child that ignores it too, and never answers again. */
  stubborn: () => {
    process.on('SIGTERM', () => {})
    spawn('/bin/sh', ['-c', `trap '' TERM; sleep 300`], { stdio: 'ignore' })
  },
  wedge: () => {
    for (;;);
  },
  flood: (id, value) => say({ id, result: 'x'.repeat(Number(value)) }),
  endless: () => {
    const chunk = 'x'.repeat(65_536)
    const write = () => process.stdout.write(chunk, write)
    write()
  },
  exit: (_, value) => {
    process.stderr.write('it was too much\n', () => process.exit(Number(value)))
  },
  crash: () => process.kill(process.pid, 'SIGSEGV'),
  ping: (id) => say({ id, result: null }),
}

let rest = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    const { act, value } = { act: givenAct, value: givenValue, ...(givenAct ? {} : params?.tool_input) }
    if (method === 'hooks/intercept') acts[act](id, String(value ?? ''), params)
    else if (process.env.PONGS) acts.ping(id)
  }
})

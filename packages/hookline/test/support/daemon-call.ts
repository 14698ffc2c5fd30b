import { readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { decodeAnswer, encodeCall, encodeFrame, frameReader } from '../../src/daemon/index.ts'
import { engineName } from '../../src/install/index.ts'
import { unmarked } from './cli.ts'

export interface Call {
  cwd: string
  command: string
  env: Record<string, string>
  host: string
  session: string
}

/** What a thin client does: one event of an agent to the daemon, as it was recorded, and its answer back. */
export function call(
  path: string,
  { cwd, command, env, host = 'codex', session = 's1' }: Partial<Call> & { cwd: string },
) {
  const payload = { ...recorded(host), cwd, session_id: session, tool_name: 'Bash', tool_input: { command } }
  const { dev, ino } = statSync(cwd, { bigint: true })
  const asked = encodeCall({
    ...{ engine: engineName(), host, event: 'pre_tool_use', deadlineMs: 55_000, cwd, directory: `${dev}:${ino}` },
    ...{ umask: 0o022, env: { ...unmarked(process.env), ...env }, payload: Buffer.from(JSON.stringify(payload)) },
  })
  return new Promise<{ decision?: string; reason?: string }>((resolve, reject) => {
    const read = frameReader()
    const socket = connect(path, () => socket.write(encodeFrame('call', asked)))
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      for (const { kind, body } of read(chunk)) {
        if (kind === 'decline') reject(new Error(`declined: ${body.toString()}`))
        if (kind !== 'answer') continue
        const { hookSpecificOutput: said = {} } = JSON.parse(decodeAnswer(body).stdout)
        resolve({ decision: said.permissionDecision, reason: said.permissionDecisionReason })
      }
    })
  })
}

/** The first call of a tool as the real agent sent it. */
function recorded(host: string): Record<string, unknown> {
  const file = join(import.meta.dirname, `../hosts/recordings/${host}.jsonl`)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line)).find(({ event }) => event === 'PreToolUse').payload
}

// Starts a background job as an agent does, says when it has begun and is known, and never ends by itself.
import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { openTools } from '../src/tools/index.ts'
import { agentWith } from './agent-with.ts'

const { tools } = await openTools(agentWith({ type: 'shell' }), { cwd: process.cwd() })
const job = tools.find(({ name }) => name === 'run_background_job')
await job?.run(
  { command: 'setsid sleep 64 & sleep 65 & touch started; sleep 63' },
  {
    id: '1',
    cwd: process.cwd(),
    sessionId: 's',
    agent: 'root',
    signal: new AbortController().signal,
    progress() {},
  },
)
while (!existsSync('started')) await wait(5)
writeFileSync('begun', '')
setInterval(() => {}, 1_000)

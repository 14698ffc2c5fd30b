import { appendFileSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const { tool_name: tool } = JSON.parse(readFileSync(0, 'utf8'))
await pause(300)
if (!process.env.HOOKLINE_SYNTHETIC) appendFileSync('seen.log', `${tool}\n`)

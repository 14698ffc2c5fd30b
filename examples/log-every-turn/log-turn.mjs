import { appendFileSync, readFileSync } from 'node:fs'

const { ts, reason, tool_calls: calls } = JSON.parse(readFileSync(0, 'utf8'))
const names = Array.isArray(calls) ? calls.map(({ name }) => name) : []
const line = [ts, reason, ...names].join(' ')
// `hookline doctor` asks about made-up turns: those did not happen.
if (!process.env.HOOKLINE_SYNTHETIC) appendFileSync('turns.log', `${line}\n`)

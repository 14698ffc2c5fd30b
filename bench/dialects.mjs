import { createJiti } from 'jiti'
import { payload } from './kit/event.mjs'
import { interleave } from './kit/measure.mjs'
import { atMost, row, time } from './kit/row.mjs'

/** Dialects are no part of the public door, so this row runs their source. */
const jiti = createJiti(import.meta.url)
const { dialectNames, loadDialect } = await jiti.import('../packages/hookline/src/dialects/index.ts')
const { hookDefaults } = await jiti.import('../packages/hookline/src/core/index.ts')

export default async function ({ quick }) {
  const rows = []
  for (const name of dialectNames) rows.push(await measure(await loadDialect(name), quick))
  return rows
}

/** All four ways: the host's payload in, the hook's payload out, the hook's reply in, the host's reply out. */
async function measure(dialect, quick) {
  const event = { name: 'pre_tool_use', payload, depth: 0, synthetic: false }
  const hook = {
    ...hookDefaults,
    id: 'one',
    event: event.name,
    dialect: dialect.name,
    run: { type: 'command', command: 'true' },
    origin: { layer: 'code' },
  }
  const verdict = {
    event: event.name,
    payload,
    decision: { ruling: 'deny', reason: 'Run the tests one by one.' },
    reports: [],
    notes: [],
  }
  const theirs = JSON.parse(dialect.event.encode(event, hook).body)
  const reply = dialect.reply.encode(verdict).value
  const once = () => {
    const decoded = dialect.event.decode(theirs, event.name)
    dialect.event.encode(event, hook)
    const read = dialect.reply.decode(reply, { event, hook })
    dialect.reply.encode(verdict)
    return [decoded, read]
  }
  const [decoded, read] = once()
  if (!decoded.ok || decoded.payload.tool_input.command !== payload.tool_input.command)
    throw new Error(`${dialect.name} lost the payload: ${JSON.stringify(decoded)}`)
  if (!read.ok || read.opinion.decision?.ruling !== 'deny')
    throw new Error(`${dialect.name} lost the reply: ${JSON.stringify(read)}`)
  const body = JSON.stringify(theirs)
  const replyJson = isJson(reply.stdout) ? reply.stdout : ''
  const json = () => [
    JSON.stringify(theirs),
    JSON.parse(body),
    JSON.stringify(verdict),
    replyJson === '' || JSON.parse(replyJson),
  ]
  const { ours, other } = await interleave(
    { ours: once, other: json },
    { rounds: quick ? 200 : 1000, warmUp: 200, batch: 20 },
  )
  return row({
    what: `\`${dialect.name}\`: payload and reply, both ways`,
    ours: time(ours),
    other: `JSON alone: ${time(other)}`,
    ratio: ours.p50 / other.p50,
    bar: atMost(50, ' µs'),
    value: ours.p50 * 1000,
  })
}

/** Some replies are an exit code and words. */
function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

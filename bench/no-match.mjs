import { createHooks } from 'hookline'
import { payload } from './kit/event.mjs'
import { interleave } from './kit/measure.mjs'
import { atLeast, atMost, perSecond, rate, row, time } from './kit/row.mjs'

const tools = ['shell', 'read_file', 'write_file', 'edit', 'grep', 'fetch', 'list_files', 'todo']

/** Every hook is on the event that is raised, and none wants the tool: names, lists, globs and regexes, in turn. */
export default async function ({ quick }) {
  const many = await createHooks({ hooks: hooksOf(1000) })
  const few = await createHooks({ hooks: hooksOf(10) })
  const raising = (hooks) => {
    let turn = 0
    return () => hooks.raise('pre_tool_use', { ...payload, tool_name: tools[turn++ % tools.length] })
  }
  const { ours, other } = await interleave(
    { ours: raising(many), other: raising(few) },
    { rounds: quick ? 60 : 300, batch: 1000 },
  )
  const idle = await many.raise('pre_tool_use', payload)
  if (idle.reports.length !== 1000 || idle.reports.some((report) => report.asked)) throw new Error('a hook ran')
  await Promise.all([many.close(), few.close()])
  const what = 'raise with no matching hook, 1,000 configured'
  return [
    row({
      what: `${what} ÷ 10 configured`,
      ours: time(ours),
      other: `10 configured: ${time(other)}`,
      ratio: ours.p50 / other.p50,
      bar: atMost(2),
      value: ours.p50 / other.p50,
    }),
    row({ what, ours: perSecond(ours), bar: atLeast(200_000, '/s'), value: rate(ours.p50) }),
  ]
}

function hooksOf(count) {
  const matchers = [
    (index) => ({ tool: `tool_${index}` }),
    (index) => ({ tool: `tool_${index}|other_${index}` }),
    (index) => ({ tool_glob: `mcp_server_${index}_*` }),
    (index) => ({ tool: `mcp_[a-z]+_${index}(_.*)?` }),
  ]
  return Array.from({ length: count }, (_, index) => ({
    id: `hook-${index}`,
    event: 'pre_tool_use',
    matcher: matchers[index % matchers.length](index),
    run: () => ({ decision: { ruling: 'deny', reason: 'never runs' } }),
  }))
}

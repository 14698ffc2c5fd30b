import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hookline } from '@hookline/ai-sdk'
import { createHooks } from 'hookline'
import { interleave } from './kit/measure.mjs'
import { atMost, row, time } from './kit/row.mjs'

const builtin = (name) => ({ type: 'builtin', name })

/** Five of ours around one call, as the bundles `security` and `secrets` set them up. */
const five = [
  { id: 'security', event: 'pre_tool_use', run: builtin('security') },
  { id: 'self-protection', event: 'pre_tool_use', run: builtin('self_protection') },
  { id: 'arguments', event: 'pre_tool_use', run: builtin('redact_secrets') },
  { id: 'results', event: 'tool_response_transform', run: builtin('redact_secrets') },
  { id: 'large-results', event: 'tool_response_transform', stage: 100, run: builtin('limit_large_tool_results') },
]

const order = 'Order 1042 was shipped on 9 March by courier, and should arrive within two working days.\n'.repeat(8)
const listing = 'src/engine/dispatch.ts:12: a line of what a search gives back\n'.repeat(12)
const commands = ['git status --short', 'ls -la src | head -20', 'rg -n dispatch src', 'node --test test/unit']

/** What hooks add to a call: the tools answer at once, so that all that is measured is ours. */
export default async function ({ quick }) {
  const project = smallProject()
  const hooks = await createHooks({ hooks: five })
  const guarded = hookline(hooks).tools({ look_up: { description: '', inputSchema: {}, execute: async () => order } })
  let calls = 0
  const call = async (tool_name, tool_input, answer) => {
    const about = { session_id: 's1', cwd: project, tool_name, tool_input }
    const { outcome, reason } = await hooks.guardTool(about, async () => answer)
    if (outcome !== 'ran') throw new Error(reason)
  }
  const input = () => ({ order: calls++, fields: ['status', 'total'] })
  const rounds = quick ? 2_000 : 10_000
  const { own, sdk, other } = await interleave(
    {
      other: async () => order,
      own: () => call('look_up', input(), order),
      sdk: async () => {
        const given = await guarded.look_up.execute(input(), { toolCallId: `call-${calls}`, messages: [] })
        if (given !== order) throw new Error(`got ${given}`)
      },
    },
    { rounds },
  )
  // By itself: it makes ten times as much garbage, and whoever runs beside it would pay for that.
  const { shell } = await interleave(
    { shell: () => call('shell', { command: `${commands[calls % commands.length]} ${calls++}` }, listing) },
    { rounds: rounds / 10 },
  )
  await hooks.close()
  rmSync(project, { recursive: true })
  const floor = `the call itself: ${time(other)}`
  const bar = atMost(100, ' µs')
  return [
    row({
      what: 'five built-in hooks around the call of a tool',
      ours: time(own),
      other: floor,
      bar,
      value: own.p50 * 1000,
    }),
    row({ what: 'the same in the AI SDK', ours: time(sdk), other: floor, bar, value: sdk.p50 * 1000 }),
    row({
      what: 'the same around a new shell command, which they analyse on this machine',
      ours: time(shell),
      other: floor,
    }),
  ]
}

function smallProject() {
  const project = mkdtempSync(join(tmpdir(), 'hookline-bench-'))
  for (const directory of ['.git', 'src', 'test']) mkdirSync(join(project, directory))
  writeFileSync(join(project, 'package.json'), '{}')
  return project
}

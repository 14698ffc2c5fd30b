import { createHooks } from 'hookline'
import { expectRuling, input, payload } from './kit/event.mjs'
import { interleave } from './kit/measure.mjs'
import { atMost, ratioRow, skipped } from './kit/row.mjs'
import { bareSpawn } from './kit/spawn.mjs'

const what = '`sandbox` hook with one `jq` ÷ `/bin/sh` with the system’s `jq`'
const bar = atMost(0.1)
const command = `jq -c 'if .tool_input.command | test("rm -rf") then {decision: "deny", reason: "no"} else {decision: "allow"} end'`

export default async function ({ quick }) {
  const found = await bareSpawn('/bin/sh', ['-c', command], input)
  if (found.exit !== 0) return [skipped(what, 'there is no jq on this system', bar)]
  const hooks = await createHooks({ hooks: [{ id: 'one', event: 'pre_tool_use', run: { type: 'sandbox', command } }] })
  const { ours, other } = await interleave(
    {
      ours: async () => expectRuling(await hooks.raise('pre_tool_use', payload), 'allow'),
      other: () => bareSpawn('/bin/sh', ['-c', command], input),
    },
    { rounds: quick ? 20 : 100, warmUp: 10 },
  )
  await hooks.close()
  return [ratioRow({ what, ours, other, name: 'spawn', bar })]
}

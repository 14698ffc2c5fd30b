import { createHooks } from 'hookline'
import { expectRuling, input, payload, script } from './kit/event.mjs'
import { interleave } from './kit/measure.mjs'
import { atMost, ratioRow } from './kit/row.mjs'
import { bareSpawn } from './kit/spawn.mjs'

export default async function ({ quick }) {
  const hooks = await createHooks({ hooks: [{ id: 'one', event: 'pre_tool_use', run: script }] })
  const { ours, other } = await interleave(
    {
      ours: async () => expectRuling(await hooks.raise('pre_tool_use', payload), 'allow'),
      other: () => bareSpawn('/bin/sh', ['-c', script], input),
    },
    { rounds: quick ? 200 : 1000 },
  )
  await hooks.close()
  const what = 'one `command` hook (`/bin/sh -c`) ÷ bare spawn'
  return [ratioRow({ what, ours, other, name: 'child_process.spawn', bar: atMost(1.15) })]
}

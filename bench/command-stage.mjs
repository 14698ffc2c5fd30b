import { createHooks } from 'hookline'
import { expectRuling, input, payload, script } from './kit/event.mjs'
import { interleave } from './kit/measure.mjs'
import { atMost, ratioRow } from './kit/row.mjs'
import { bareSpawn } from './kit/spawn.mjs'

/** Identical hooks would run once: each has a comment of its own. */
const scripts = Array.from({ length: 8 }, (_, index) => `${script} # ${index}`)

export default async function ({ quick }) {
  const hooks = await createHooks({
    hooks: scripts.map((run, index) => ({ id: `hook-${index}`, event: 'pre_tool_use', run })),
  })
  const { ours, other } = await interleave(
    {
      ours: async () => expectRuling(await hooks.raise('pre_tool_use', payload), 'allow'),
      other: () => Promise.all(scripts.map((each) => bareSpawn('/bin/sh', ['-c', each], input))),
    },
    { rounds: quick ? 60 : 300 },
  )
  const { reports } = await hooks.raise('pre_tool_use', payload)
  if (reports.filter((report) => report.asked).length !== 8) throw new Error('not all eight hooks ran')
  await hooks.close()
  const what = '8 `command` hooks in one stage ÷ 8 parallel spawns'
  return [ratioRow({ what, ours, other, name: 'child_process.spawn', bar: atMost(1.15) })]
}

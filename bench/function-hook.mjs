import { createHooks } from 'hookline'
import { expectRuling, payload } from './kit/event.mjs'
import { interleave } from './kit/measure.mjs'
import { atLeast, perSecond, rate, row } from './kit/row.mjs'

export default async function ({ quick }) {
  const answer = () => ({ decision: { ruling: 'allow', reason: 'fine' } })
  const hooks = await createHooks({ hooks: [{ id: 'one', event: 'pre_tool_use', run: answer }] })
  const direct = async () => answer()
  const { ours, other } = await interleave(
    { ours: () => hooks.raise('pre_tool_use', payload), other: direct },
    { rounds: quick ? 60 : 300, batch: 500 },
  )
  expectRuling(await hooks.raise('pre_tool_use', payload), 'allow')
  await hooks.close()
  return [
    row({
      what: 'one function hook, journal in memory',
      ours: perSecond(ours, ' dispatches'),
      other: `calling the function: ${perSecond(other)}`,
      bar: atLeast(50_000, '/s'),
      value: rate(ours.p50),
    }),
  ]
}

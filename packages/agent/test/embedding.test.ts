import { expect, it, onTestFinished } from 'vitest'
import { sampleToken } from '../../hookline/src/builtins/parts.ts'
import { createHooks } from '../../hookline/src/hooks/index.ts'
import { echo } from '../../hookline/test/support/agent.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { defaultTeam, hookFileOf, type ModelRequest, openAgent, rehearse } from '../src/index.ts'

it('an embedded default team has its AGENTS.md and redacts secrets, as at the terminal', async () => {
  const cwd = scratch({ 'AGENTS.md': 'Tabs, never spaces.' })
  const team = defaultTeam({ env: {}, model: 'main' })
  const hooks = await createHooks({ files: [hookFileOf(team)], journal: false, cwd })
  const requests: ModelRequest[] = []
  const model = rehearse({ name: 'main', default: { say: 'ok' } })
  const agent = await openAgent({
    team,
    cwd,
    raise: hooks.raise,
    openModel: async () => ({
      ...model,
      stream: (request, signal) => {
        requests.push(request)
        return model.stream(request, signal)
      },
    }),
    openTools: async () => ({ tools: [echo], close: async () => {} }),
  })
  onTestFinished(async () => {
    await agent.end('other')
    await hooks.close()
  })
  const key = sampleToken
  await agent.prompt(`use ${key}`)
  const sent = JSON.stringify(requests)
  expect(sent).toContain('Tabs, never spaces.')
  expect(sent).not.toContain(key)
})

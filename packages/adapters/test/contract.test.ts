import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aiSdk6, aiSdk7 } from './contract/ai-sdk.ts'
import { claudeAgentSdk } from './contract/claude-agent-sdk.ts'
import type { Driver } from './contract/driver.ts'
import { langchain } from './contract/langchain.ts'
import { openaiAgents } from './contract/openai-agents.ts'
import { pageOf } from './contract/page.ts'
import { situations } from './contract/situations.ts'

const drivers: readonly Driver[] = [aiSdk7, aiSdk6, openaiAgents, langchain, claudeAgentSdk]
const seen = new Set<string>()

describe.each(drivers)('$name', (driver) => {
  it.each(situations.filter(({ name }) => !Object.hasOwn(driver.cannot, name)))('$name', async (situation) => {
    await situation.play(driver)
    seen.add(`${driver.name}: ${situation.name}`)
  })
})

/** After all of the above. `npx vitest run packages/adapters -u` writes the page anew. */
it('docs/adapters.md has what was seen', async () => {
  expect(situations).toHaveLength(20)
  const page = resolve(import.meta.dirname, '../../../docs/adapters.md')
  await expect(pageOf(drivers, situations, seen)).toMatchFileSnapshot(page)
})

import { it } from 'vitest'
import { inBothThemes, isAccessible, world } from './world.ts'

const config = `version: 1
rules:
  - id: no-force
    deny: { run: git push --force }
`

it('what was decided is counted by agent, project and rule', async () => {
  const at = await world(config)
  const page = await at.open()
  await at.signIn(page, '/stats')
  await page.getByText('Nothing was decided in this time.').waitFor()
  await isAccessible(page)
  await at.agent('git push --force')
  await at.agent('git status')
  await page.locator('.figures', { hasText: 'decisions2' }).waitFor()
  await page.locator('td', { hasText: 'codex' }).waitFor()
  await page.locator('td', { hasText: 'no-force' }).waitFor()
  await inBothThemes(page, 'stats')
})

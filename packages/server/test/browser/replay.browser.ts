import { it } from 'vitest'
import { inBothThemes, isAccessible, world } from './world.ts'

const config = `version: 1
rules:
  - id: no-force
    deny: { run: git push --force }
`

it('a candidate is replayed on what agents did, and each difference opens the decision of then', async () => {
  const at = await world(config)
  const page = await at.open()
  for (const command of ['git status', 'npm publish', 'git push --force']) await at.agent(command)
  await at.signIn(page, '/replay')
  const candidate = page.getByLabel('What would stand in hookline.yaml')
  await candidate.waitFor()
  await isAccessible(page)
  await candidate.fill('version: 1\nrules:\n  - deny: { rum: npm publish }\n')
  await page.getByRole('button', { name: 'Replay against this candidate' }).click()
  await page.getByRole('alert').waitFor()
  await candidate.fill('version: 1\nrules:\n  - id: no-publish\n    deny: { run: npm publish }\n')
  await page.getByRole('button', { name: 'Replay against this candidate' }).click()
  await page.locator('.figures', { hasText: 'the same1' }).waitFor()
  await page.locator('tr', { hasText: 'newly blocked' }).getByRole('link', { name: 'npm publish' }).click()
  await page.locator('.panel pre.command', { hasText: 'npm publish' }).waitFor()
  await page.locator('tr', { hasText: 'newly allowed' }).getByText('git push --force').waitFor()
  await inBothThemes(page, 'replay')
})

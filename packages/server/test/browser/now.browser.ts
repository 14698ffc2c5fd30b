import { it } from 'vitest'
import { inBothThemes, isAccessible, question, visit, world } from './world.ts'

const config = `version: 1
rules:
  - id: no-force
    deny: { run: git push --force }
    because: Force pushes are off limits here.
  - id: sure
    ask: { run: npm publish }
hooks:
  - id: tidy
    event: post_tool_use
    run: { type: command, command: ./tidy.sh }
`

it('who works, what waits and what should be zero is seen at once, and a session is watched while it is blocked', async () => {
  const at = await world(config)
  const page = await at.open()
  await at.signIn(page, '/now')
  await page.getByText('No agent has called in the last day.').waitFor()
  await page.locator('.headlines div', { hasText: 'failed open' }).getByRole('link', { name: '0' }).waitFor()
  await page.locator('.headlines div', { hasText: 'unapproved' }).getByRole('link', { name: '1' }).waitFor()
  await isAccessible(page)
  await at.agent('npm test', 'first')
  await page.locator('tr', { hasText: 'npm test' }).getByText('at work').waitFor()
  const asked = at.agent('npm publish', 'second')
  await page.getByRole('heading', { name: 'Waiting for you' }).waitFor()
  await page.locator('.headlines div', { hasText: 'waiting' }).getByRole('link', { name: '1' }).waitFor()
  await inBothThemes(page, 'now')

  // Watched live, from the first call to the one that is blocked.
  await page.locator('tr', { hasText: 'npm test' }).getByRole('link', { name: 'codex' }).click()
  await page.locator('.step', { hasText: 'npm test' }).waitFor()
  await at.agent('git push --force origin main', 'first')
  await page.locator('.step', { hasText: 'git push --force origin main' }).click()
  await page.locator('.panel .verdict', { hasText: 'Blocked by no-force' }).waitFor()
  await inBothThemes(page, 'session')
  await page.keyboard.press('Escape')
  await page.locator('.panel').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.locator('tr', { hasText: 'git push --force' }).waitFor()
  await isAccessible(page)

  await visit(page, '/inbox')
  const card = await question(page, 'npm publish')
  await card.getByRole('button', { name: 'No…' }).click()
  await page.keyboard.press('Enter')
  await asked
})

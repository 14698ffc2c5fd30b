import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inBothThemes, isAccessible, shoot, world } from './world.ts'

const config = `version: 1
# Kept as it is.
rules:
  - id: no-force
    deny: { run: git push --force }
    because: Force pushes are off limits here.
`

it('a rule is checked as it is typed, tried on the last week, saved, and holds; nothing else in the file changes', async () => {
  const at = await world(config)
  const page = await at.open()
  expect((await at.agent('npm publish')).decision).toBeUndefined()
  await at.signIn(page, '/rules')
  await page.locator('td', { hasText: 'no-force' }).waitFor()
  await isAccessible(page)
  await page.getByRole('button', { name: 'New rule' }).click()
  const rule = page.getByLabel('The rule')
  await rule.fill('deny: { rum: npm publish }')
  await page.getByRole('alert').waitFor()
  await isAccessible(page)
  await shoot(page, 'rules-wrong')
  await rule.fill('deny: { run: npm publish }\nbecause: Only the pipeline publishes.')
  await page.getByText('would have blocked 1 of 1 calls').waitFor()
  await inBothThemes(page, 'rules')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('td', { hasText: 'no-npm-publish' }).waitFor()
  expect(await at.agent('npm publish')).toMatchObject({ decision: 'deny' })
  expect(readFileSync(join(at.cwd, 'hookline.yaml'), 'utf8')).toContain('# Kept as it is.')
  await page.getByRole('link', { name: 'no-npm-publish' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.locator('td', { hasText: 'no-npm-publish' }).waitFor({ state: 'detached' })
  expect((await at.agent('npm publish')).decision).toBeUndefined()
})

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
hooks:
  - id: tidy
    event: pre_tool_use
    matcher: { tool: write_file }
    run: { type: command, command: 'true' }
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

it('a hook is approved and its approval taken back, guards are proved, and layers stand side by side', async () => {
  const at = await world(config)
  const page = await at.open()
  await at.signIn(page, '/rules')
  const hook = page.locator('tr', { hasText: 'tidy' })
  await hook.getByText('waits for approval').waitFor()
  await hook.getByRole('button', { name: 'Approve' }).click()
  await hook.getByRole('button', { name: 'Revoke' }).click()
  await hook.getByRole('button', { name: 'Approve' }).click()
  await hook.getByRole('button', { name: 'Revoke' }).waitFor()
  await page.getByRole('button', { name: 'Prove guards' }).click()
  const rule = page.locator('tr', { hasText: 'no-force' })
  await rule.getByText('✓ proved').waitFor()
  await inBothThemes(page, 'rules-proved')
  await page.getByRole('link', { name: 'Layers' }).click()
  const project = page.locator('.layers section', { hasText: '3. project' })
  await project.getByRole('link', { name: 'no-force' }).waitFor()
  await page.locator('.layers section', { hasText: '1. managed' }).getByText('says nothing').waitFor()
  await inBothThemes(page, 'rules-layers')
})

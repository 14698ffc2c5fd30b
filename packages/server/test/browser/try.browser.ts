import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inBothThemes, isAccessible, visit, world } from './world.ts'

const config = `version: 1
rules:
  - id: no-force
    deny: { run: git push --force }
    because: Force pushes are off limits here.
  - id: pushes
    ask: { run: git push }
hooks:
  - id: tidy
    event: pre_tool_use
    matcher: { tool: write_file }
    run: { type: command, command: 'echo Keep it tidy. >&2; exit 2' }
`

it('a command is explained rule by rule and matcher by matcher, and what was seen is kept as a test case', async () => {
  const at = await world(config)
  const page = await at.open()
  await at.signIn(page, '/try')
  await page.getByText('What would happen?').waitFor()
  await isAccessible(page)
  await page.keyboard.type('git push --force origin main')
  await page.keyboard.press('Enter')
  await page.locator('.verdict', { hasText: 'Blocked by no-force' }).waitFor()
  await page.locator('tr', { hasText: 'pushes' }).getByText('matches, and a stronger one decides').waitFor()
  await page.locator('tr', { hasText: 'tidy' }).getByText('saw shell').waitFor()
  await inBothThemes(page, 'try')
  await page.getByRole('button', { name: 'Save as a test case' }).click()
  await page.getByText('hookline test runs it.').waitFor()
  expect(readFileSync(join(at.cwd, 'hookline.test.yaml'), 'utf8')).toContain(
    'expect: { decision: deny, rule: no-force }',
  )

  // What hooks answer that act is not known before; nothing claims to.
  await page.getByRole('tab', { name: 'a call of a tool' }).click()
  await page.getByLabel('Its arguments, as JSON').fill('{ "path": "a", "content": ')
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('This is not JSON').waitFor()
  await isAccessible(page)
  await page.getByLabel('Its arguments, as JSON').fill('{ "path": "a", "content": "b" }')
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('tidy would run, too').waitFor()
  await isAccessible(page)

  // Once it is approved, a person may run it here: what it answers is in the fold.
  const tried = page.url()
  await visit(page, '/rules')
  await page.locator('tr', { hasText: 'tidy' }).getByRole('button', { name: 'Approve' }).click()
  await page.locator('tr', { hasText: 'tidy' }).getByRole('button', { name: 'Revoke' }).waitFor()
  await page.goto(tried)
  await page.getByRole('button', { name: 'Run it here' }).click()
  await page.locator('.verdict', { hasText: 'Blocked' }).waitFor()
  await page.getByText('Keep it tidy.').first().waitFor()
  await isAccessible(page)
})

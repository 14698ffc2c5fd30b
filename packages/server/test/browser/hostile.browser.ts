import { expect, it } from 'vitest'
import { question, visit, world } from './world.ts'

const config = `version: 1
rules:
  - id: sure
    ask: { run: npm publish }
    because: <img src=x onerror=alert(4)><script>alert(5)</script>
`

/** What agents, prompts, reasons and file names may hold. */
const hostile = `npm publish '<img src=x onerror=alert(1)><script>alert(2)</script>' > "javascript:alert(3).txt"`

it('what agents, rules and people write stays text on every screen', async () => {
  const at = await world(config)
  const page = await at.open()
  await at.signIn(page)
  const asked = at.agent(hostile)
  await question(page, hostile)
  await page.keyboard.press('n')
  await page.keyboard.type('<svg onload=alert(6)>')
  await page.keyboard.press('Enter')
  expect(await asked).toMatchObject({ decision: 'deny' })
  await page.getByText('“<svg onload=alert(6)>”').waitFor()
  const isHarmless = async () => {
    // The console's own page has neither pictures nor scripts in its content.
    expect(await page.locator('#content img, #content script, #content a[href^="javascript:"]').count()).toBe(0)
  }
  await isHarmless()
  await visit(page, '/journal')
  await page.getByRole('searchbox').fill('onerror')
  await page.locator('.row', { hasText: '<img src=x onerror' }).first().click()
  await page.locator('.panel pre.command', { hasText: '<img src=x onerror' }).waitFor()
  await page.getByText('The whole entry').click()
  await isHarmless()
  await visit(page, '/rules')
  await page.getByRole('link', { name: 'sure' }).click()
  await expect.poll(() => page.getByLabel('The rule').inputValue()).toContain('onerror=alert(4)')
  await isHarmless()
  await visit(page, '/stats')
  await page.locator('td', { hasText: 'sure' }).first().waitFor()
  await isHarmless()
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inBothThemes, isAccessible, question, shoot, visit, world } from './world.ts'

const config = `version: 1
rules:
  - id: sure
    ask: { run: npm publish }
    because: It is for everybody.
`

it('a question of a foreign agent is answered once, for always, or with a reason why not', async () => {
  const at = await world(config)
  const page = await at.open()
  const link = await at.link()
  // A server that cannot say who it is says why; the link works in a page that is open already.
  await page.route('**/api/me', (route) =>
    route.fulfill({ status: 500, json: { title: 'It broke.', status: 500, code: 'x', remedy: 'Look at its output.' } }),
  )
  await page.goto(new URL(link).origin)
  await page.getByText('It broke. Look at its output.').waitFor()
  await page.unroute('**/api/me')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Open the link that hookline serve printed.').waitFor()
  await page.goto(link)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  expect(page.url()).not.toContain('sign-in')
  await visit(page, '/inbox')
  await page.getByText('Nothing waits for you.').waitFor()
  await isAccessible(page)

  // The link is used up; what it left does not work for another browser.
  const stranger = await at.open()
  await stranger.goto(link)
  await stranger.getByText('used up').waitFor()
  await isAccessible(stranger)
  await shoot(stranger, 'sign-in')

  await at.attended()
  const refused = at.agent('npm publish --access public')
  await question(page, 'npm publish --access public')
  await isAccessible(page)
  await shoot(page, 'inbox-one')
  await page.keyboard.press('n')
  // What is typed into the form is a reason, whatever its letters do elsewhere.
  await page.keyboard.type('say no: not on a Friday.')
  await page.keyboard.press('Enter')
  expect(await refused).toMatchObject({ decision: 'deny', reason: expect.stringContaining('say no: not on a Friday.') })
  await page.getByText('“say no: not on a Friday.”').waitFor()

  // Who has just opened the link has shown to be a person.
  const once = at.agent('npm publish')
  await question(page, 'npm publish')
  await page.keyboard.press('y')
  // Codex reads nothing as consent.
  expect((await once).decision).toBeUndefined()

  // The rule is shown before it is written, and from then on nobody is asked.
  const always = at.agent('npm publish --tag next')
  await (await question(page, 'npm publish --tag next')).getByRole('button', { name: 'Always…' }).click()
  await page.getByText('allow: { run: npm publish --tag next }').waitFor()
  await isAccessible(page)
  await shoot(page, 'inbox-always')
  await page.getByRole('button', { name: 'Add this rule' }).click()
  expect((await always).decision).toBeUndefined()
  await page.getByText('Nothing waits for you.').waitFor()
  expect((await at.agent('npm publish --tag next')).decision).toBeUndefined()
  expect(readFileSync(join(at.root, 'config/hookline/hooks.yaml'), 'utf8')).toContain('npm publish --tag next')

  // The second form of a page takes the keys as the first did.
  const again = at.agent('npm publish --dry-run')
  await question(page, 'npm publish --dry-run')
  await page.keyboard.press('n')
  await page.keyboard.type('yes')
  await page.keyboard.press('Enter')
  expect(await again).toMatchObject({ decision: 'deny', reason: expect.stringContaining('yes') })
})

it('keys answer the question that was chosen, however the list changes, and several at once where they are selected', async () => {
  const at = await world(config)
  const page = await at.open()
  await at.signIn(page)
  const [first, second, third] = ['npm publish one', 'npm publish two', 'npm publish three'] as const
  const one = at.agent(first, 'a')
  await question(page, first)
  const two = at.agent(second, 'b')
  await question(page, second)
  const three = at.agent(third, 'b')
  await question(page, third)

  // The second is chosen; the first goes away from above it, and takes its place for nobody.
  await page.keyboard.press('j')
  await page.locator('.question.chosen', { hasText: second }).waitFor()
  await (await question(page, first)).getByRole('button', { name: 'No…' }).click()
  await page.keyboard.press('Enter')
  expect(await one).toMatchObject({ decision: 'deny' })
  await page.locator('.question', { hasText: first }).waitFor({ state: 'detached' })
  await question(page, second)

  // A key that is held down answers nothing.
  await page.evaluate(
    `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', repeat: true, bubbles: true }))`,
  )
  expect(await page.locator('.question').count()).toBe(2)

  // Both of the other session at once.
  await page.getByRole('button', { name: 'Select all 2' }).click()
  await page.getByText('2 selected').waitFor()
  await inBothThemes(page, 'inbox')
  await page.keyboard.press('n')
  await page.keyboard.type('Not today.')
  await page.keyboard.press('Enter')
  for (const answer of await Promise.all([two, three]))
    expect(answer).toMatchObject({ decision: 'deny', reason: expect.stringContaining('Not today.') })
  await page.getByText('Nothing waits for you.').waitFor()
})

it('a key that comes right after the list has moved answers nothing', async () => {
  const at = await world(config)
  const page = await at.open()
  await at.signIn(page)
  // Pressed the very moment a question appears, as somebody who answers another one presses it.
  await page.evaluate(`{
    const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', bubbles: true }))
    const watching = new MutationObserver(() => {
      if (!document.querySelector('.question')) return
      watching.disconnect()
      for (const ms of [0, 50, 100, 200]) setTimeout(press, ms)
    })
    watching.observe(document.body, { childList: true, subtree: true })
  }`)
  const asked = at.agent('npm publish')
  await page.getByText('The list has just changed. Look again, then answer.').waitFor()
  const card = await question(page, 'npm publish')
  await card.getByRole('button', { name: 'No…' }).click()
  await page.keyboard.press('Enter')
  expect(await asked).toMatchObject({ decision: 'deny' })
})

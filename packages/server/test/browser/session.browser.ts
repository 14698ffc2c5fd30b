import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inBothThemes, isAccessible, question, visit, world } from './world.ts'

const hostile = `<img src=x onerror=alert(1)>`
const script = `rehearsal: 1
turns:
  - { when: { user: list }, call: { tool: shell, input: { command: "echo '${hostile}'" } } }
  - { when: { user: publish }, call: { tool: shell, input: { command: npm publish } } }
  - { when: { tool: shell, failed: true }, say: 'I may not: {{ result }}', repeat: true }
  - { when: { tool: shell }, say: 'Listed: {{ result }}', repeat: true }
  - { when: { user: which colour }, call: { tool: ask_user, input: { question: Which colour?, options: [red, blue] } } }
  - { when: { tool: ask_user }, say: 'Painted {{ result }}.' }
  - { when: { user: be slow }, say: one two three four five six seven eight nine ten, pace_ms: 2000 }
default: { say: 'You said: {{ user }}' }
`
const config = `version: 1
rules:
  - id: sure
    ask: { run: npm publish }
  - id: echoes
    allow: { run: echo }
`

it('a session runs in the page: prompted, watched, asked, answered, stopped and forked', async () => {
  const at = await world(config)
  writeFileSync(join(at.cwd, 'script.yaml'), script)
  const page = await at.open()
  await at.signIn(page, '/sessions')
  await page.getByText('No session yet.').waitFor()
  await isAccessible(page)
  const agent = JSON.stringify({ project: at.cwd, rehearse: 'script.yaml' })
  await page.evaluate(
    `fetch('/api/agents/painter', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(agent)} })`,
  )
  await visit(page, '/now')
  await visit(page, '/sessions')
  await page.getByLabel('Agent').selectOption('painter')
  await page.getByRole('button', { name: 'New session' }).click()
  const prompt = page.getByRole('textbox', { name: 'Prompt' })

  await prompt.fill('hello')
  await prompt.press('Enter')
  await page.getByText('You said: hello').waitFor()

  // What a tool gave back is text, whatever it holds.
  await page.locator('h2', { hasText: 'Turn 1 ✓ done' }).waitFor()
  await prompt.fill('list')
  await prompt.press('Enter')
  await page.getByText(`Listed:`).waitFor()
  await page.locator('details.output summary', { hasText: hostile }).click()
  expect(await page.locator('#content img').count()).toBe(0)

  // What its rules ask about is in the inbox, like the questions of every agent.
  await page.locator('h2', { hasText: 'Turn 2 ✓ done' }).waitFor()
  await prompt.fill('publish')
  await prompt.press('Enter')
  const opened = page.url()
  await visit(page, '/inbox')
  await question(page, 'npm publish')
  await page.keyboard.press('n')
  await page.keyboard.type('Not on a Friday.')
  await page.keyboard.press('Enter')
  await page.getByText('“Not on a Friday.”').waitFor()
  await page.goto(opened)
  await page.getByText('I may not:').waitFor()
  await page.locator('.step', { hasText: 'npm publish' }).first().waitFor()
  await inBothThemes(page, 'session-own')

  await prompt.fill('which colour')
  await prompt.press('Enter')
  await page.getByRole('button', { name: 'blue' }).click()
  await page.getByText('Painted').waitFor()
  await page.locator('h2', { hasText: 'Turn 4 ✓ done' }).waitFor()

  // It streams, is steered, and stopped.
  await prompt.fill('be slow')
  await prompt.press('Enter')
  await page.getByText('one').first().waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.locator('h2', { hasText: 'Turn 5 ✗ stopped' }).waitFor()

  const before = page.url()
  await page.getByRole('button', { name: 'Undo the last turn' }).click()
  await expect.poll(() => page.url()).not.toBe(before)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Really delete it' }).click()
  await page.getByRole('link', { name: 'hello' }).first().waitFor()
})

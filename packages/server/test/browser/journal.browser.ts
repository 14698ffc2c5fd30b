import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inBothThemes, isAccessible, shoot, visit, world } from './world.ts'

const config = `version: 1
rules:
  - id: no-force
    deny: { run: git push --force }
    because: Force pushes are off limits here.
`

it('decisions come live, are found by words, open whole, and a record that somebody changed is told from one that is intact', async () => {
  const at = await world(config)
  const page = await at.open()
  await at.signIn(page, '/journal')
  await page.getByText('No decisions yet.').waitFor()
  await isAccessible(page)
  await at.agent('git push --force origin main')
  await at.agent('git status')
  await page.getByRole('button', { name: '2 new' }).click()
  await page.locator('.row', { hasText: 'git push --force' }).click()
  await page.locator('.panel .verdict', { hasText: 'Blocked' }).waitFor()
  await page.getByText('The line is as it was').waitFor()
  await inBothThemes(page, 'journal')

  // By the keyboard: the next one, closed, searched for.
  const opened = page.url()
  await page.keyboard.press('k')
  await expect.poll(() => page.url()).not.toBe(opened)
  await page.locator('.panel pre.command', { hasText: 'git status' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.panel').waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  await page.keyboard.type('status')
  await page.waitForURL(/text=status/)
  await page.locator('.row', { hasText: 'git push' }).waitFor({ state: 'detached' })
  await page.getByRole('searchbox').fill('')
  await page.locator('.row', { hasText: 'git push' }).waitFor()

  // What is shown is exported, and nothing else.
  await page.getByLabel('Which decisions').selectOption('blocked')
  await page.waitForURL(/mark=blocked/)
  for (const [format, expected] of [
    ['jsonl', { outcome: 'deny', tool_name: 'shell' }],
    ['ocsf', { class_uid: 6003, disposition_id: 2 }],
  ] as const) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByLabel('Export').selectOption(format),
    ])
    const lines = readFileSync((await download.path())!, 'utf8')
      .trim()
      .split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([expected])
  }
  await page.getByLabel('Which decisions').selectOption('')
  await page.locator('.row', { hasText: 'git status' }).waitFor()

  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('Intact').waitFor()
  const written = readFileSync(at.journal, 'utf8')
  writeFileSync(at.journal, written.replace('git push --force origin main', 'git push --force origin mine'))
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('tampered').waitFor()
  await page.locator('.row', { hasText: 'git push --force' }).click()
  await page.getByText('Somebody has changed this line').waitFor()
  await shoot(page, 'journal-tampered')
  await visit(page, '/inbox')
})

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { enrol, openMachine, openShipper } from '../../../hookline/src/fleet/index.ts'
import { entry, write } from '../support/journal.ts'
import { inBothThemes, visit, world } from './world.ts'

it('every machine is seen with what is wrong with it, and leads to its decisions', async () => {
  const at = await world('version: 1\nrules: []\n')
  const page = await at.open()
  await at.signIn(page, '/fleet')
  await page.getByText('No machine has joined yet.').waitFor()
  const url = new URL(page.url()).origin
  await page.getByLabel('group').fill('build')
  await page.getByRole('button', { name: 'Make a token' }).click()
  const command = (await page.getByText('hookline enroll').textContent()) ?? ''
  await inBothThemes(page, 'fleet-empty')
  const [, address, secret] = /^sudo hookline enroll (\S+) --token (hle_\S+)$/.exec(command) ?? []
  expect(address).toBe(url)
  const directory = join(at.root, 'machine')
  await enrol(directory, { url: url, token: secret!, name: 'anna' })
  const journal = join(directory, 'journal.jsonl')
  const shadow = { id: 'rules', stage: 0, asked: true, outcome: 'deny', rules: ['no-fly'], shadow: true } as const
  await write(journal, [entry('git push --force'), entry('fly', { hooks: [shadow] })])
  await openShipper({ machine: openMachine(directory), journal, directory }).catchUp()
  await page.locator('tr', { hasText: 'anna' }).getByText('fine').waitFor()
  await page
    .getByRole('region', { name: 'What would be blocked' })
    .locator('tr', { hasText: 'no-fly' })
    .getByText('✗ blocked')
    .waitFor()
  await page.locator('tr', { hasText: 'anna' }).getByText('build').waitFor()
  await page.getByRole('button', { name: 'Add machines' }).click()
  await page.getByRole('button', { name: 'Make a token' }).waitFor()
  await inBothThemes(page, 'fleet')
  await page.getByRole('link', { name: 'anna' }).click()
  await page.getByText('git push --force').first().waitFor()
  await visit(page, '/fleet')
})

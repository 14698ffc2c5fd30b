import { join } from 'node:path'
import { it } from 'vitest'
import { enrol, openMachine, openShipper } from '../../../hookline/src/fleet/index.ts'
import { entry, write } from '../support/journal.ts'
import { inBothThemes, isAccessible, visit, world } from './world.ts'

it('every machine is seen with what is wrong with it, and leads to its decisions', async () => {
  const at = await world('version: 1\nrules: []\n')
  const page = await at.open()
  await at.signIn(page, '/fleet')
  await page.getByText('No machine has joined yet.').waitFor()
  const url = new URL(page.url()).origin
  const made = await page.request.post(`${url}/api/enrolments`, { data: {}, headers: { origin: url } })
  const { secret } = (await made.json()) as { secret: string }
  const directory = join(at.root, 'machine')
  await enrol(directory, { url: url, token: secret, name: 'anna' })
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
  await isAccessible(page)
  await inBothThemes(page, 'fleet')
  await page.getByRole('link', { name: 'anna' }).click()
  await page.getByText('git push --force').first().waitFor()
  await visit(page, '/fleet')
})

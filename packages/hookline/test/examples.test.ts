import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline } from './support/cli.ts'

const root = join(import.meta.dirname, '../../../examples')
const configs = ['hookline.yaml', 'hookline.yml', 'hookline.json', '.hookline/hooks.yaml']
const examples = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && configs.some((config) => existsSync(join(root, entry.name, config))))
  .map(({ name }) => name)

it('there are examples', () => expect(examples).toContain('guided'))

describe.each(examples)('examples/%s', (name) => {
  it.each([
    ['checks out', ['check', '--strict']],
    ['has cases for every hook, and they hold', ['test', '--trust', 'all', '--coverage-min', '100']],
    ['has hooks that work and guards that block', ['doctor', '--trust', 'all', '--strict']],
  ])('%s', async (_law, args) => {
    const { exit, stdout, stderr } = await hookline(args, '', { cwd: join(root, name) })
    expect({ exit, stderr }, stdout).toEqual({ exit: 0, stderr: '' })
  })
})

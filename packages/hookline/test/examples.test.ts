import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline } from './support/cli.ts'
import { scratch } from './support/scratch.ts'

const root = join(import.meta.dirname, '../../../examples')
const configs = ['hookline.yaml', 'hookline.yml', 'hookline.json', '.hookline/hooks.yaml']
const examples = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && configs.some((config) => existsSync(join(root, entry.name, config))))
  .map(({ name }) => name)

it('there are examples', () => expect(examples).toContain('guided'))

describe.each(examples)('examples/%s', (name) => {
  it('checks out, has cases for every hook that hold, hooks that work and guards that block', async () => {
    // In a repository of its own, as a reader copies it: `doctor` would copy all of ours.
    const cwd = scratch()
    cpSync(join(root, name), cwd, { recursive: true })
    execFileSync('git', ['init', '--quiet'], { cwd })
    const commands = [
      ['check', '--strict'],
      ['test', '--trust', 'all', '--coverage-min', '100'],
      ['doctor', '--trust', 'all', '--strict'],
    ]
    for (const args of commands) {
      const { exit, stdout, stderr } = await hookline(args, '', { cwd })
      expect({ exit, stderr }, `${args[0]}: ${stdout}`).toEqual({ exit: 0, stderr: '' })
    }
  })
})

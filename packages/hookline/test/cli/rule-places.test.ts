import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const rules = `version: 1
rules:
  - { id: infra, deny: { write: infra/** } }
`
const cases = `version: 1
cases:
  - name: infra stays
    given: { tool: shell, command: echo x > infra/a.tf }
    expect: { decision: deny }
  - name: the rest is free
    given: { tool: shell, command: echo x > src/infra/a.tf }
    expect: { decision: none }
`
const files = { '.git/HEAD': '', 'hookline.yaml': rules, 'hookline.test.yaml': cases, 'src/deep/x': '', 'infra/x': '' }

const matches = (stdout: string) =>
  (JSON.parse(stdout) as { rules: { match: string }[] }).rules.map(({ match }) => match)

describe('A path in a rule begins at the file of the project, by whatever name the file is called', () => {
  it.each([
    ['from the project', '.', 'infra/a.tf', []],
    ['from below it', 'src/deep', '../../infra/a.tf', []],
    ['with the file named from here', '.', 'infra/a.tf', ['--config', 'hookline.yaml']],
    ['with the file named from below', 'src/deep', '../../infra/a.tf', ['--config', '../../hookline.yaml']],
  ])('explain, %s', async (_name, below, path, options) => {
    const cwd = join(scratch(files), below)
    const write = await hookline(['explain', `echo x > ${path}`, '--json', ...options], '', { cwd })
    expect(matches(write.stdout)).toEqual(['decides'])
    const other = await hookline(['explain', 'echo x > other/infra/a.tf', '--json', ...options], '', { cwd })
    expect(matches(other.stdout)).toEqual(['none'])
  })

  it('test', async () => {
    const { exit, stdout } = await hookline(['test'], '', { cwd: scratch(files) })
    expect({ exit, stdout }).toMatchObject({ exit: 0, stdout: expect.stringContaining('2 passed') })
  })

  it('in a file of .hookline, at the project', async () => {
    const cwd = scratch({ '.hookline/hooks.yaml': rules, 'infra/x': '' })
    const { stdout } = await hookline(['explain', 'rm infra/x', '--json'], '', { cwd })
    expect(matches(stdout)).toEqual(['decides'])
  })
})

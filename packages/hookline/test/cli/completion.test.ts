import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { completions } from '../../src/cli/text/completion.ts'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const shells = Object.keys(completions)

describe('hookline completion', () => {
  it.each(shells)('the script for %s names every command and every option', async (shell) => {
    const overview = (await hookline(['--help'])).stdout
    const names = [...overview.matchAll(/^ {2}(\w+) {2,}/gm)].map((match) => match[1]!)
    const { exit, stdout } = await hookline(['completion', shell])
    expect(exit).toBe(0)
    for (const name of names) expect(stdout).toContain(name)
    expect(stdout).toMatch(/config-dialect/)
  })

  it.each([
    [['ch'], ['check']],
    [
      ['dispatch', '--con'],
      ['--config', '--config-dialect'],
    ],
    [['completion', ''], shells],
    [['docs', 'pre_t'], ['pre_tool_use']],
    [['convert', '--from', 'cla'], ['claude-code']],
    [['check', '--config', 'hook'], ['hookline.yaml']],
    [
      ['check', ''],
      ['hookline.yaml', 'script'],
    ],
  ])('bash completes %j to %j', async (words, expected) => {
    const cwd = scratch({ 'hookline.yaml': '' })
    writeFileSync(join(cwd, 'script'), (await hookline(['completion', 'bash'])).stdout)
    const lines = execFileSync(
      'bash',
      [
        '--norc',
        '-c',
        `source ./script; COMP_WORDS=(hookline "$@"); COMP_CWORD=$#; _hookline; printf '%s\\n' "\${COMPREPLY[@]}"`,
        'bash',
        ...words,
      ],
      { cwd, encoding: 'utf8' },
    )
    expect(lines.trim().split('\n').sort()).toEqual([...expected].sort())
  })

  it('knows no other shell, and suggests one it knows', async () => {
    const { exit, stderr } = await hookline(['completion', 'fihs'])
    expect(exit).toBe(64)
    expect(stderr).toContain('Did you mean `fish`?')
  })
})

import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hooklineProcess as hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const sound = `version: 1
hooks:
  - { id: script, event: stop, run: ./own.sh }
  - { id: guard, event: pre_tool_use, run: { type: builtin, name: safer_shell } }
`

/** A project, its checks one after the other, and what they have kept. */
function project(config = sound) {
  const home = scratch({ 'hookline.yaml': config, 'own.sh': '#!/bin/sh\n' })
  chmodSync(join(home, 'own.sh'), 0o755)
  const kept = join(home, '.local', 'state', 'hookline', 'checked')
  const env = { HOME: home, XDG_STATE_HOME: '', XDG_CONFIG_HOME: join(home, 'config') }
  return {
    write: (text: string) => writeFileSync(join(home, 'hookline.yaml'), text),
    check: (...args: string[]) => hookline(['check', ...args], '', { cwd: home, env }),
    files: () => (existsSync(kept) ? readdirSync(kept).map((name) => join(kept, name)) : []),
    script: join(home, 'own.sh'),
  }
}

describe('what check has kept of a config', () => {
  it.each([[[]], [['--json']], [['--fix', '--strict', 'hookline.yaml']]])(
    'is for the user alone, and changes no output: %s',
    async (args) => {
      const { check, files } = project()
      const first = await check(...args)
      expect(first).toMatchObject({ exit: 0, stderr: '' })
      expect(files()).toHaveLength(1)
      const { mode, mtimeMs } = statSync(files()[0]!)
      expect(mode & 0o777).toBe(0o600)
      expect(await check(...args)).toEqual(first)
      expect(statSync(files()[0]!).mtimeMs).toBe(mtimeMs)
    },
  )

  it('remembers nothing about the machine: a program that is gone is reported, as without the cache', async () => {
    const { check, files, script } = project()
    const before = await check()
    rmSync(script)
    const fresh = await check()
    expect(fresh.exit).toBe(1)
    expect(fresh.stdout).toMatch(/^hookline\.yaml:3:\d+ {2}error {2}.*own\.sh/)
    rmSync(files()[0]!)
    expect(await check()).toEqual(fresh)
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 })
    expect(await check()).toEqual(before)
  })

  it('repeats what is wrong word for word, with the file as it was named', async () => {
    const { check, files } = project(
      `${sound.replace('safer_shell', 'safer_shel')}  - { id: again, event: Stop, run: ./own.sh }\n`,
    )
    const fresh = await check()
    expect(fresh).toMatchObject({ exit: 1, stderr: '' })
    expect(fresh.stdout).toMatch(/^hookline\.yaml:4:\d+ [\s\S]*\nhookline\.yaml:5:\d+ [\s\S]*\n.* 1 can be corrected/)
    expect(files()).toHaveLength(1)
    expect(await check()).toEqual(fresh)
    expect(await check('./hookline.yaml')).toEqual({
      ...fresh,
      stdout: fresh.stdout.replaceAll('hookline.', './hookline.'),
    })
  })

  it('does not outlive a change of the file, also of one letter', async () => {
    const { check, write } = project()
    expect((await check()).exit).toBe(0)
    write(sound.replace('safer_shell', 'safer_shelf'))
    expect((await check()).exit).toBe(1)
    write(sound)
    expect((await check()).exit).toBe(0)
  })

  it.each<[string, (file: string, text: string) => void]>([
    ['others may write', (file) => chmodSync(file, 0o666)],
    ['of other text', (file, text) => writeFileSync(file, text.replace('id: guard', 'id: gward'))],
  ])('is not used when it is %s', async (_what, change) => {
    const { check, files } = project()
    const first = await check()
    const [file] = files()
    const forged = readFileSync(file!, 'utf8').replace('"hooks":2', '"hooks":9')
    writeFileSync(file!, forged)
    expect((await check()).stdout).toContain('9 hooks')
    change(file!, forged)
    expect(await check()).toEqual(first)
  })
})

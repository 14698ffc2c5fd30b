import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hooklineProcess as hookline } from '../support/cli.ts'
import { remove } from '../support/scratch.ts'

const blocking = (tools: string) => `version: 1
hooks:
  - { id: guard, event: pre_tool_use, run: { type: builtin, name: block_tools, args: { tools: [${tools}] } } }
`

describe('the cache of configs', () => {
  let home: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'hookline-load-'))
    await writeFile(join(home, 'hookline.yaml'), blocking('rm'))
  })
  afterEach(() => remove(home))

  const directory = () => join(home, '.local', 'state', 'hookline', 'config')
  const kept = async () => (await readdir(directory())).map((name) => join(directory(), name))
  const payload = JSON.stringify({ event: 'pre_tool_use', tool_name: 'rm', tool_input: {} })
  const dispatch = (config = 'hookline.yaml', env: Record<string, string> = {}) =>
    hookline(['dispatch', '--config', config, '--trust', 'all'], payload, {
      cwd: home,
      env: { HOME: home, XDG_STATE_HOME: '', XDG_CONFIG_HOME: join(home, 'config'), ...env },
    })
  const ruling = async (...given: Parameters<typeof dispatch>) => {
    const { stdout, stderr, exit } = await dispatch(...given)
    expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 })
    return (JSON.parse(stdout) as { decision: { ruling: string } | null }).decision?.ruling ?? 'none'
  }

  it('is for the user alone, is read by the next run, and changes no answer', async () => {
    const first = JSON.parse((await dispatch()).stdout) as { reports: object[] }
    const [file, ...others] = await kept()
    expect(others).toEqual([])
    const { mode, mtimeMs } = await stat(file!)
    expect(mode & 0o777).toBe(0o600)
    const second = JSON.parse((await dispatch()).stdout) as { reports: object[] }
    expect((await stat(file!)).mtimeMs).toBe(mtimeMs)
    const timeless = (verdict: { reports: object[] }) => ({
      ...verdict,
      reports: verdict.reports.map((report) => ({ ...report, duration_ms: 0 })),
    })
    expect(timeless(second)).toEqual(timeless(first))
  })

  it('a changed file is read again, also when its length and its time are the same', async () => {
    expect(await ruling()).toBe('deny')
    await writeFile(join(home, 'hookline.yaml'), blocking('ls'))
    expect(await ruling()).toBe('none')
    await writeFile(join(home, 'hookline.yaml'), blocking('rm'))
    expect(await ruling()).toBe('deny')
  })

  it('a changed bundle of a file is read again', async () => {
    const bundle = (tools: string) => `name: own\n${blocking(tools).replace('version: 1\n', '')}`
    await writeFile(join(home, 'own.yaml'), bundle('rm'))
    await writeFile(join(home, 'hookline.yaml'), 'version: 1\nuse: [./own.yaml]\n')
    expect(await ruling()).toBe('deny')
    await writeFile(join(home, 'own.yaml'), bundle('ls'))
    expect(await ruling()).toBe('none')
  })

  it('a file that joins, leaves or breaks counts at once', async () => {
    await writeFile(join(home, 'hookline.yaml'), blocking('ls'))
    expect(await ruling()).toBe('none')
    await mkdir(join(home, 'config', 'hookline'), { recursive: true })
    await writeFile(join(home, 'config', 'hookline', 'hooks.yaml'), blocking('rm').replace('guard', 'mine'))
    expect(await ruling()).toBe('deny')
    await rm(join(home, 'config', 'hookline', 'hooks.yaml'))
    expect(await ruling()).toBe('none')
    await writeFile(join(home, 'hookline.yaml'), 'version: 1\nhooks: oops\n')
    expect(await dispatch()).toMatchObject({ exit: 1, stdout: '' })
  })

  it.each<[string, (file: string, text: string) => Promise<unknown>]>([
    ['others may write', (file) => chmod(file, 0o666)],
    ['of another version', (file, text) => writeFile(file, text.replace(/"build":"[^"]+"/, '"build":"000000000000"'))],
    ['broken', (file, text) => writeFile(file, text.slice(0, -9))],
    ['of other text', (file, text) => writeFile(file, text.replace('tools: [rm]', 'tools: [xx]'))],
    ['of another layer', (file, text) => writeFile(file, text.replace('"layer":"project"', '"layer":"session"'))],
  ])('one that is %s is not used', async (_what, change) => {
    expect(await ruling()).toBe('deny')
    const [file] = await kept()
    const poisoned = (await readFile(file!, 'utf8')).replace('"enabled":true', '"enabled":false')
    expect(poisoned).toContain('"enabled":false')
    await writeFile(file!, poisoned)
    await change(file!, poisoned)
    expect(await ruling()).toBe('deny')
  })

  it('in the workspace, which could have written it, is not made', async () => {
    expect(await ruling('hookline.yaml', { XDG_STATE_HOME: join(home, 'state') })).toBe('deny')
    expect(existsSync(join(home, 'state', 'hookline', 'config'))).toBe(false)
  })

  it('that cannot be written changes nothing', async () => {
    await mkdir(join(home, '.local', 'state', 'hookline'), { recursive: true })
    await writeFile(directory(), 'a file where the directory should be')
    expect(await ruling()).toBe('deny')
    expect(await ruling()).toBe('deny')
  })

  it('a verdict is given where no directory can be made, as in /proc', async () => {
    const { exit, stdout, stderr } = await dispatch('hookline.yaml', { XDG_STATE_HOME: '/proc/hookline' })
    expect(exit).toBe(0)
    expect(stdout).toContain('"ruling":"deny"')
    expect(stderr).toContain('The journal could not be written')
  })

  it('is whole, whoever writes it at once', async () => {
    expect(await Promise.all([ruling(), ruling(), ruling(), ruling()])).toEqual(['deny', 'deny', 'deny', 'deny'])
    expect(await kept()).toHaveLength(1)
    expect(await ruling()).toBe('deny')
  })
})

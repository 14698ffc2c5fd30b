import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hookline } from '../support/cli.ts'
import { remove } from '../support/scratch.ts'

describe('the code cache', () => {
  let state: string
  beforeEach(async () => {
    state = await mkdtemp(join(tmpdir(), 'hookline-code-'))
  })
  afterEach(() => remove(state))

  const directory = () => join(state, 'hookline', 'code')
  const files = async () => (await readdir(directory())).map((name) => join(directory(), name))
  const run = () => hookline(['guard', 'shell'], '{"command":"rm -rf /"}\n', { env: { XDG_STATE_HOME: state } })
  const right = { exit: 0, stderr: '', stdout: expect.stringContaining('"destructive"') }

  it('is written by the first run, for the user alone, and read by the next', async () => {
    expect(await run()).toMatchObject(right)
    const [file, ...others] = await files()
    expect(others).toEqual([])
    const { mode, mtimeMs } = await stat(file!)
    expect(mode & 0o777).toBe(0o600)
    expect(await run()).toMatchObject(right)
    expect((await stat(file!)).mtimeMs).toBe(mtimeMs)
  })

  it.each<[string, (file: string, bytes: Buffer) => Promise<unknown>]>([
    ['others may write', (file, bytes) => writeFile(file, scrambled(bytes)).then(() => chmod(file, 0o666))],
    ['was cut off', (file, bytes) => writeFile(file, bytes.subarray(0, bytes.length / 2))],
    ['a crash left half empty', (file, bytes) => writeFile(file, bytes.fill(0, bytes.length / 2))],
    ['is no cache', (file) => writeFile(file, 'hello')],
    [
      'is a link',
      (file, bytes) =>
        rm(file).then(async () => {
          await writeFile(join(state, 'elsewhere'), scrambled(bytes), { mode: 0o600 })
          await symlink(join(state, 'elsewhere'), file)
        }),
    ],
  ])('one that %s is not read, and is replaced', async (_what, damage) => {
    await run()
    const [file] = await files()
    await damage(file!, await readFile(file!))
    expect(await run()).toMatchObject(right)
    expect(await files()).toEqual([file])
    const { mtimeMs } = await stat(file!)
    expect(await run()).toMatchObject(right)
    expect((await stat(file!)).mtimeMs).toBe(mtimeMs)
  })

  it('of another version is never read, and goes', async () => {
    await run()
    const [file] = await files()
    const old = file!.replace(/guard-[0-9a-f]+/, 'guard-000000000000')
    await writeFile(old, await readFile(file!))
    await rm(file!)
    expect(await run()).toMatchObject(right)
    expect(await files()).toEqual([file])
  })

  it('that cannot be written changes nothing', async () => {
    await mkdir(join(state, 'hookline'))
    await writeFile(directory(), 'a file where the directory should be')
    expect(await run()).toMatchObject(right)
    expect(await run()).toMatchObject(right)
  })

  it('is whole, whoever writes it at once', async () => {
    const runs = await Promise.all([run(), run(), run(), run()])
    for (const session of runs) expect(session).toMatchObject(right)
    expect(await files()).toHaveLength(1)
    expect(await run()).toMatchObject(right)
  })
})

it('what is imported while it runs is no experiment of which Node would warn', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'hookline-import-'))
  try {
    await writeFile(join(directory, 'no.mjs'), "export default () => ({ decision: { ruling: 'deny', reason: 'no' } })")
    const hook = { id: 'no', event: 'pre_tool_use', run: { type: 'function', module: './no.mjs' } }
    await writeFile(join(directory, 'hookline.json'), JSON.stringify({ version: 1, hooks: [hook] }))
    const payload = JSON.stringify({ event: 'pre_tool_use', tool_name: 'shell', tool_input: { command: 'ls' } })
    expect(await hookline(['dispatch', '--trust', 'all', '--no-journal'], payload, { cwd: directory })).toMatchObject({
      exit: 0,
      stderr: '',
      stdout: expect.stringContaining('"deny"'),
    })
  } finally {
    remove(directory)
  }
})

/** What would crash V8, were it read. */
const scrambled = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte, at) => (at < 5000 ? byte : byte ^ 0x41)))

import { execFileSync } from 'node:child_process'
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

  /** The first run keeps what it needed, the second what it compiled of it. */
  const settle = async () => {
    expect(await run()).toMatchObject(right)
    expect(await run()).toMatchObject(right)
  }
  const isSettled = async (file: string) => {
    const { mtimeMs } = await stat(file)
    expect(await run()).toMatchObject(right)
    expect((await stat(file)).mtimeMs).toBe(mtimeMs)
  }

  it('is written by the first runs, for the user alone, and read by the next', async () => {
    await settle()
    const [file, ...others] = await files()
    expect(others).toEqual([])
    expect((await stat(file!)).mode & 0o777).toBe(0o600)
    await isSettled(file!)
  })

  it('grows by what other runs need, and then suits them all', async () => {
    const other = async () => {
      const { exit } = await hookline(['guard', 'secrets'], '{"text":"hello"}\n', { env: { XDG_STATE_HOME: state } })
      expect(exit).toBe(0)
    }
    await settle()
    const [file] = await files()
    const { size } = await stat(file!)
    await other()
    await other()
    expect(await run()).toMatchObject(right)
    const grown = await stat(file!)
    expect(grown.size).toBeGreaterThan(size)
    await other()
    await isSettled(file!)
    expect((await stat(file!)).mtimeMs).toBe(grown.mtimeMs)
  })

  it.each<[string, (file: string, bytes: Buffer) => Promise<unknown>]>([
    ['others may write', (file, bytes) => writeFile(file, scrambled(bytes)).then(() => chmod(file, 0o666))],
    ['was cut off', (file, bytes) => writeFile(file, bytes.subarray(0, bytes.length / 2))],
    ['a crash left half empty', (file, bytes) => writeFile(file, bytes.fill(0, bytes.length >> 1))],
    ['is no cache', (file) => writeFile(file, 'hello')],
    ['is a pipe', (file) => rm(file).then(() => execFileSync('mkfifo', ['-m', '600', file]))],
    [
      'is a link',
      (file, bytes) =>
        rm(file).then(async () => {
          await writeFile(join(state, 'elsewhere'), scrambled(bytes), { mode: 0o600 })
          await symlink(join(state, 'elsewhere'), file)
        }),
    ],
  ])('one that %s is not read, and is replaced', async (_what, damage) => {
    await settle()
    const [file] = await files()
    await damage(file!, await readFile(file!))
    await settle()
    expect(await files()).toEqual([file])
    await isSettled(file!)
  })

  it('in the workspace, which could have written it, is neither made nor read', async () => {
    await settle()
    const [file] = await files()
    await writeFile(file!, scrambled(await readFile(file!)))
    const before = await stat(file!)
    const options = { cwd: state, env: { XDG_STATE_HOME: state } }
    expect(await hookline(['guard', 'shell'], '{"command":"rm -rf /"}\n', options)).toMatchObject(right)
    expect((await stat(file!)).mtimeMs).toBe(before.mtimeMs)
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

  it('is done without where no directory can be made, as in /proc', async () => {
    const env = { XDG_STATE_HOME: '/proc/hookline' }
    expect(await hookline(['guard', 'shell'], '{"command":"rm -rf /"}\n', { env })).toMatchObject(right)
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
const scrambled = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte, at) => (at < 4096 ? byte : byte ^ 0x41)))

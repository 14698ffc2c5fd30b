import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { openSandbox } from '../src/tools/index.ts'
import { bench } from './tools-support.ts'

async function sandboxed(files: Record<string, string> = {}, toolsets = ['filesystem', 'shell']) {
  const cwd = realpathSync(scratch(files))
  const sandbox = await openSandbox({ cwd })
  onTestFinished(() => sandbox.close())
  return { ...(await bench(toolsets, {}, { cwd, sandbox })), sandbox }
}

describe('the sandbox', () => {
  it('begins as a copy of the workspace, without what is ignored or secret', async () => {
    const { call } = await sandboxed({ 'src/a.txt': 'hello', '.env': 'KEY=1', '.gitignore': '*.log', 'x.log': '' })
    expect((await call('bash', { command: 'pwd; find . -type f | sort; cat src/a.txt' })).content).toBe(
      '/workspace\n./.gitignore\n./src/a.txt\nhello',
    )
  })

  it('the shell and the tools for files see the same, and the machine sees nothing of it', async () => {
    const { call, cwd } = await sandboxed({ 'a.txt': 'one\n' })
    await call('bash', { cmd: 'echo two >> a.txt; mkdir -p d; echo new > d/b.txt; ln -s d/b.txt link' })
    expect((await call('read_file', { path: 'a.txt' })).content).toBe('one\ntwo')
    expect((await call('read_file', { path: join(cwd, 'd/b.txt') })).content).toBe('new')
    expect((await call('read_file', { path: 'link' })).content).toBe('new')
    await call('edit_file', { path: 'd/b.txt', oldText: 'new', newText: 'newer' })
    await call('write_file', { path: 'e/f.txt', content: 'deep' })
    expect((await call('bash', { command: 'cat d/b.txt e/f.txt; ls' })).content).toBe('newer\ndeepa.txt\nd\ne\nlink')
    expect((await call('list_directory', {})).content).toBe('a.txt\nd/\ne/\nlink@')
    expect((await call('search_files', { content: 'newer' })).content).toBe('d/b.txt:1: newer')
    await call('bash', { command: 'rm a.txt' })
    expect(await call('read_file', { path: 'a.txt' })).toMatchObject({ error: true })
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n')
    expect(existsSync(join(cwd, 'd'))).toBe(false)
  })

  it('a path leads nowhere out of it', async () => {
    const { call, cwd } = await sandboxed()
    writeFileSync(join(cwd, 'later.txt'), 'of the machine')
    for (const path of ['/etc/passwd', '../../etc/passwd', join(cwd, 'later.txt')])
      expect(await call('read_file', { path }), path).toMatchObject({ error: true })
    expect((await call('bash', { command: `cat ${cwd}/later.txt; curl http://example.com` })).error).toBe(true)
  })

  it('failures and endless scripts are error results, and what they wrote is not kept', async () => {
    const { call } = await sandboxed({ 'a.txt': 'x' })
    expect(await call('bash', { command: 'echo no; exit 3' })).toEqual({ content: 'no\n(Exit code 3.)', error: true })
    const endless = await call('bash', { command: 'echo y > a.txt; while true; do :; done', timeout: 1 })
    expect(endless.error).toBe(true)
    expect((await call('read_file', { path: 'a.txt' })).content).toBe('x')
    expect((await call('bash', { command: 'echo alive' })).content).toBe('alive')
  })

  it('stops when it is canceled', async () => {
    const { call } = await sandboxed()
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 300)
    expect(await call('bash', { command: 'sleep 30' }, { signal: stop.signal })).toMatchObject({ error: true })
  })

  it('warns about tools it does not have, and has `bash` for `shell`', async () => {
    const { names, notes } = await sandboxed({}, ['shell', 'background_jobs'])
    expect(names()).toEqual(['bash'])
    expect(notes).toMatchObject([{ code: 'toolset-not-in-sandbox' }])
  })

  it('is one for all agents of a session', async () => {
    const { call, cwd, sandbox } = await sandboxed()
    await call('write_file', { path: 'a.txt', content: 'from one' })
    const other = await bench(['filesystem'], {}, { cwd, sandbox })
    expect((await other.call('read_file', { path: 'a.txt' })).content).toBe('from one')
  })
})

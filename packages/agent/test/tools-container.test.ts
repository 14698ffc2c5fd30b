import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serve } from '../../hookline/test/executors/http-server.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { openContainer } from '../src/tools/index.ts'
import { linesOf, workplace } from './terminal/support.ts'
import { bench } from './tools-support.ts'

/** Whether this machine has bubblewrap, and lets it make namespaces. */
const hasBubblewrap =
  spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '/bin/sh', '-c', ':']).status === 0

/** Programs of these names come first. */
function onPath(programs: Record<string, string>): void {
  const directory = scratch({})
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(directory, name), text, { mode: 0o755 })
  const { PATH } = process.env
  process.env['PATH'] = `${directory}:${PATH}`
  onTestFinished(() => {
    process.env['PATH'] = PATH
  })
}

describe('bubblewrap', () => {
  it.runIf(hasBubblewrap)(
    'lets commands change the workspace, and nothing else; no network; all of it ends',
    async () => {
      const cwd = scratch({ 'a.txt': 'one', '.git/hooks/pre-commit': 'x' })
      const outside = scratch({ 'secret.txt': 'hunter2' })
      const port = await serve((_, response) => response.end('hello'))
      const container = await openContainer('bwrap', cwd)
      const { call } = await bench(['shell'], {}, { cwd, container })
      const says = async (command: string) => (await call('shell', { command })).content
      expect(await says('cat a.txt; echo two > b.txt; pwd')).toBe(`one${cwd}`)
      expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('two\n')
      expect(await says(`cat ${outside}/secret.txt; echo x > ${outside}/made; true`)).not.toContain('hunter2')
      expect(existsSync(join(outside, 'made'))).toBe(false)
      expect(await says('echo evil > .git/hooks/pre-commit')).toMatch(/Read-only file system/)
      expect(await says(`exec 3<>/dev/tcp/127.0.0.1/${port}`)).toMatch(/refused|unreachable/i)
      expect(await says('touch /etc/made-here')).toMatch(/Read-only file system/)
      const stopped = await call('shell', { command: 'sleep 60 & sleep 60', timeout: 1 })
      expect(stopped.content).toMatch(/Stopped after 1 seconds/)
    },
  )

  it.runIf(hasBubblewrap)('keeps git and the files of hooks as they are, also by moving what they are in', async () => {
    const cwd = scratch({
      '.git/HEAD': 'x',
      '.claude/settings.json': '{}',
      '.claude/other.md': 'x',
      'hookline.yaml': 'a',
    })
    const ofHooks = ['.claude/settings.json', 'hookline.yaml', 'not-there.yaml'].map((each) => join(cwd, each))
    const container = await openContainer('bwrap', cwd, ofHooks)
    const { call } = await bench(['shell'], {}, { cwd, container })
    const attempts = [
      'mv .git g; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit',
      'echo /tmp/evil > .git/commondir',
      'mkdir .git/hooks',
      'mv .claude c; mkdir .claude; echo evil > .claude/settings.json',
      'rm -rf .claude/settings.json; echo evil > .claude/settings.json',
      'mv hookline.yaml h; echo evil > hookline.yaml',
    ]
    for (const command of attempts) expect((await call('shell', { command })).error, command).toBe(true)
    expect(readdirSync(cwd).toSorted()).toEqual(['.claude', '.git', 'hookline.yaml'])
    expect(readdirSync(join(cwd, '.git'))).toEqual(['HEAD'])
    expect(readFileSync(join(cwd, '.claude/settings.json'), 'utf8')).toBe('{}')
    await call('shell', { command: 'echo fine > .claude/other.md' })
    expect(readFileSync(join(cwd, '.claude/other.md'), 'utf8')).toBe('fine\n')
  })

  it.runIf(hasBubblewrap)('is where hooks run that their system runs in a sandbox, on the same files', async () => {
    const hooks = [
      {
        id: 'seed',
        event: 'session_start',
        executor: {
          type: 'bash',
          command: 'echo seeded > /workspace/seed.txt; cat "$EVERRUNS_HOOK_PAYLOAD_PATH" > /workspace/payload.json',
        },
      },
    ]
    const { run, cwd } = workplace({ 'everruns.json': JSON.stringify({ hooks }) })
    const done = await run(
      '--sandbox=bwrap',
      '--json',
      '--yolo',
      '--trust',
      'all',
      '--config',
      'everruns.json',
      'run cat seed.txt',
    )
    expect(linesOf(done).find(({ type }) => type === 'tool_result')).toMatchObject({ content: 'seeded' })
    expect(JSON.parse(readFileSync(join(cwd, 'payload.json'), 'utf8'))).toHaveProperty('session_id')
  })

  it('that does not work here is an error that says what to do', async () => {
    onPath({ bwrap: '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n' })
    await expect(openContainer('bwrap', scratch({}))).rejects.toMatchObject({
      message: expect.stringMatching(/`bwrap` does not work here: .*No permissions/),
      notes: [{ remedy: expect.stringMatching(/apt install bubblewrap/) }],
    })
    await expect(openContainer('podman', scratch({}))).rejects.toThrow(/no sandbox `podman`/)
  })
})

// With a stand-in for `docker`, which shows how it is called: that a real daemon does the same, nothing here proves.
describe('docker', () => {
  it('gets the workspace, the user, no network and the names of variables; a command that is stopped is killed there', async () => {
    const directory = scratch({})
    mkdirSync(join(directory, 'calls'))
    const log = join(directory, 'calls/log')
    onPath({
      docker: `#!/bin/sh\nprintf '%s\\n' "$@" >> "${log}"\ncase $1 in run) shift $(($# - 1)); exec bash -c "$1";; esac\n`,
    })
    const cwd = scratch({})
    const container = await openContainer('docker:node:22', cwd)
    const options = { cwd, container, env: { ...process.env, TOKEN: 's3same' } }
    const { call } = await bench(['shell'], {}, options)
    expect(await call('shell', { command: 'echo "in there"' })).toEqual({ content: 'in there' })
    const words = readFileSync(log, 'utf8').split('\n')
    const after = (word: string) => words[words.indexOf(word) + 1]
    expect(words.slice(0, 4)).toEqual(['version', '--format', '{{.Server.Version}}', 'run'])
    expect([after('--network'), after('--workdir'), after('--cap-drop')]).toEqual(['none', cwd, 'ALL'])
    expect(words).toContain(`type=bind,source=${cwd},target=${cwd}`)
    expect(words).toContain('TOKEN')
    expect(words.join(' ')).not.toContain('s3same')
    expect(words).toContain('node:22')
    await call('shell', { command: 'sleep 60', timeout: 1 })
    await expect.poll(() => readFileSync(log, 'utf8')).toMatch(/\nkill\nhookline-/)
  })

  it('gets git and the files of hooks read only, and paths with commas and quotes as one field', async () => {
    const log = join(scratch({}), 'log')
    onPath({ docker: `#!/bin/sh\nprintf '%s\\n' "$@" >> "${log}"\n` })
    const cwd = join(scratch({ 'a, "b"/.git/HEAD': 'x', 'a, "b"/.claude/settings.json': '{}' }), 'a, "b"')
    const container = await openContainer('docker', cwd, [join(cwd, '.claude/settings.json')])
    const { call } = await bench(['shell'], {}, { cwd, container })
    await call('shell', { command: 'true' })
    const words = readFileSync(log, 'utf8').split('\n')
    const quoted = cwd.replaceAll('"', '""')
    const mounts = words.filter((_, at) => words[at - 1] === '--mount')
    const mount = (path: string) => `type=bind,"source=${quoted}${path}","target=${quoted}${path}"`
    expect(mounts).toEqual([
      mount(''),
      mount('/.claude'),
      `${mount('/.git')},readonly`,
      `${mount('/.claude/settings.json')},readonly`,
    ])
  })

  it('without a daemon is an error that says what to do', async () => {
    onPath({ docker: '#!/bin/sh\necho "Cannot connect to the Docker daemon" >&2\nexit 1\n' })
    await expect(openContainer('docker', scratch({}))).rejects.toThrow(/`docker` does not work here: .*Cannot connect/)
  })
})

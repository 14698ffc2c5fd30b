import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeToken } from '../../src/trust/index.ts'
import { binary, hookline, nobody, unmarked } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'
import { soon } from '../support/soon.ts'
import { terminal } from '../support/terminal.ts'

const config = `version: 1
hooks:
  - { id: one, event: pre_tool_use, run: sh ./guard.sh }
  - { id: two, event: stop, run: sh ./guard.sh }
`

const approveAll = ['approve', '--all']
const shown = [process.execPath, binary, ...approveAll].map((word) => `'${word}'`).join(' ')

/** A project and a person with a home of their own. */
function world() {
  const root = scratch({ 'work/hookline.yaml': config, 'work/guard.sh': 'exit 2\n' })
  const cwd = join(root, 'work')
  const env = { HOME: root, XDG_STATE_HOME: join(root, 'state'), NO_COLOR: '1', HOOKLINE_APPROVE_TOKEN: '' }
  return {
    root,
    cwd,
    env,
    run: (args: string[], more: Record<string, string> = {}) => hookline(args, '', { cwd, env: { ...env, ...more } }),
    at: (args: string[], more: Parameters<typeof terminal>[1] = {}) =>
      terminal(args, { cwd, columns: 160, ...more, env: { ...env, ...more.env } }),
    async approved() {
      const { stdout } = await hookline(['list', '--json'], '', { cwd, env })
      return (JSON.parse(stdout) as { id: string; trust: string }[])
        .filter(({ trust }) => trust === 'approved')
        .map(({ id }) => id)
    },
    /** A program without a terminal, as an agent runs it. */
    program(file: string, args: string[], input = '') {
      return spawnSync(file, args, {
        cwd,
        env: { ...unmarked(process.env), ...nobody, ...env },
        input,
        encoding: 'utf8',
        timeout: 60_000,
      })
    },
  }
}

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

describe('a person at a terminal', () => {
  it('types the code that the terminal shows; then a yes is enough in this session', async () => {
    const { at, approved } = world()
    const hookline = `'${process.execPath}' '${binary}'`
    const screen = at([], { program: ['/bin/sh', '-c', `${hookline} approve one; ${hookline} approve two`] })
    await screen.sees('[y/N] ')
    screen.types('y\r')
    await screen.sees('Approve `two`? [y/N] ')
    screen.types('y\r')
    const { screen: all } = await screen.ended()
    expect(all.match(/Type \d{4} to confirm/g)).toHaveLength(1)
    expect(await approved()).toEqual(['one', 'two'])
  })

  it.each(['0000\r', '\r', 'y\r'])('and nothing else will do: %j', async (keys) => {
    const { at, approved } = world()
    const screen = at(approveAll, { ignoresCode: true })
    await screen.sees('[y/N] ')
    screen.types('y\r')
    await screen.sees(/Type \d{4} to confirm/)
    screen.types(keys)
    expect((await screen.ended()).exit).toBe(2)
    expect(await approved()).toEqual([])
  })

  it('with a passphrase, that is what proves it, and no code is shown', async () => {
    const { at, approved, root } = world()
    const choosing = at(['approve', '--new-passphrase'])
    await choosing.sees('or more: ')
    choosing.types('correct horse\r')
    await choosing.sees('Once more: ')
    choosing.types('correct horse\r')
    const chosen = await choosing.ended()
    expect(chosen.exit).toBe(0)
    expect(chosen.screen).not.toContain('correct horse')
    const guessing = at(approveAll)
    await guessing.sees('[y/N] ')
    guessing.types('y\r')
    for (const guess of ['', 'correct', 'Correct horse']) {
      await guessing.sees('passphrase: ')
      guessing.types(`${guess}\r`)
    }
    expect((await guessing.ended()).exit).toBe(2)
    expect(await approved()).toEqual([])
    const knowing = at(approveAll)
    await knowing.sees('[y/N] ')
    knowing.types('y\r')
    await knowing.sees('passphrase: ')
    knowing.types('correct horse\r')
    expect(await knowing.ended()).toMatchObject({ exit: 0, screen: expect.not.stringContaining('correct horse') })
    expect(await approved()).toEqual(['one', 'two'])
    // A file that cannot be relied on is no way around it.
    writeFileSync(join(root, 'state/hookline/passphrase.json'), '{}')
    expect((await at(['approve', '--new-token']).ended()).screen).toMatch(/passphrase .* cannot be read/)
  })

  it.runIf(has('script'))('who records the terminal reads the code on the real one', async () => {
    const { at, approved } = world()
    const screen = at([], { program: ['script', '-qec', shown, '/dev/null'], ignoresCode: true })
    await screen.sees('[y/N] ')
    screen.types('y\r')
    await screen.sees(/the code is \d{4}[\s\S]*shows: |shows: [\s\S]*the code is \d{4}/)
    screen.types('0000\r')
    expect((await screen.ended()).screen).toMatch(/Not approved/)
    expect(await approved()).toEqual([])
  })
})

describe.runIf(process.platform === 'linux' && has('tmux'))(
  'in a window of tmux, which any program can read and type into',
  () => {
    const inWindow = (here: ReturnType<typeof world>) => {
      const socket = join(here.root, 'tmux')
      onTestFinished(() => void here.program('tmux', ['-S', socket, 'kill-server']))
      const start: [string, ...string[]] = [
        'tmux',
        '-S',
        socket,
        '-f',
        '/dev/null',
        'new-session',
        '-x',
        '160',
        '-y',
        '40',
      ]
      return { start, read: () => here.program('tmux', ['-S', socket, 'capture-pane', '-p']).stdout }
    }

    it('nobody is a person where nobody is attached', async () => {
      const here = world()
      const { start, read } = inWindow(here)
      const [tmux, ...args] = start
      here.program(tmux, [...args, '-d', `${shown}; sleep 60`])
      await vi.waitFor(() => expect(read()).toMatch(/needs a person, and `tmux` types into this terminal/), {
        timeout: soon,
      })
      expect(await here.approved()).toEqual([])
    })

    it('the code is shown to who is attached, and is not in the window', async () => {
      const here = world()
      const { start, read } = inWindow(here)
      const screen = here.at([], { program: [...start, `${shown}; sleep 60`], ignoresCode: true })
      await screen.sees('[y/N] ')
      screen.types('y\r')
      await screen.sees(/the code is \d{4}/)
      await vi.waitFor(() => expect(read()).toMatch(/Type the code that .* shows/), { timeout: soon })
      expect(read()).not.toMatch(/the code is/)
      screen.types('0000\r')
      await vi.waitFor(() => expect(read()).toMatch(/Not approved/), { timeout: soon })
      expect(await here.approved()).toEqual([])
    })
  },
)

describe('an agent', () => {
  const expectRefused = async (here: ReturnType<typeof world>, said: string, why: RegExp) => {
    expect(said).toMatch(/needs a person/)
    expect(said).toMatch(why)
    expect(await here.approved()).toEqual([])
    expect(readdirSync(here.root)).not.toContain('state/hookline/approvals.json')
  }

  it.runIf(has('script'))('cannot approve through `script`', async () => {
    const here = world()
    const { stdout } = here.program('sh', ['-c', `printf 'y\\ny\\n' | script -qec "${shown}" /dev/null`])
    await expectRefused(here, stdout, /`script` types into this terminal/)
    const late = here.program('sh', ['-c', `(sleep 2; echo y) | script -qec "${shown}" /dev/null`])
    await expectRefused(here, late.stdout, /`script` types into this terminal/)
  })

  it.runIf(has('python3'))('cannot approve through a terminal that a program makes and reads', async () => {
    const here = world()
    const driver = `
import os, pty, re, sys
pid, fd = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
seen = b''
while True:
    try: chunk = os.read(fd, 4096)
    except OSError: break
    if not chunk: break
    seen += chunk
    if seen.endswith(b'[y/N] '): os.write(fd, b'y\\r')
    code = re.search(rb'Type (\\d{4}) to confirm: $', seen)
    if code: os.write(fd, code[1] + b'\\r')
sys.stdout.buffer.write(seen)
`
    const words = ['-c', driver, process.execPath, binary, ...approveAll]
    const { stdout } = here.program('python3', words)
    await expectRefused(here, stdout, /`python[\d.]*` types into this terminal/)
    const real = here.program('python3', ['-c', 'import sys; print(sys.executable)']).stdout.trim()
    symlinkSync(real, join(here.root, 'window'))
    const renamed = here.program(join(here.root, 'window'), words)
    await expectRefused(here, renamed.stdout, /`window` types into this terminal/)
    // By a path: Python takes a bare name for the program of that name, and looks for its library beside it.
    const name = join(here.root, 'sshd')
    const called = here.program('bash', ['-c', `exec -a '${name}' "$0" "$@"`, real, ...words])
    await expectRefused(here, called.stdout, /types into this terminal/)
  })

  it.runIf(process.platform === 'linux')('nor through one of Node.js that no agent is above', async () => {
    const here = world()
    const driver = join(here.root, 'driver.mjs')
    const result = join(here.root, 'shown')
    writeFileSync(
      driver,
      `import { writeFileSync, renameSync } from 'node:fs'
import { createRequire } from 'node:module'
const { spawn } = createRequire(${JSON.stringify(import.meta.url)})('@lydell/node-pty')
const [file, ...args] = ${JSON.stringify([process.execPath, binary, ...approveAll])}
const terminal = spawn(file, args, { cwd: ${JSON.stringify(here.cwd)}, env: process.env })
let shown = ''
terminal.onData((data) => {
  shown += data
  if (shown.endsWith('[y/N] ')) terminal.write('y\\r')
  const code = /Type (\\d{4}) to confirm: $/.exec(shown)?.[1]
  if (code) terminal.write(code + '\\r')
})
terminal.onExit(() => {
  writeFileSync('${result}.part', shown)
  renameSync('${result}.part', '${result}')
})
`,
    )
    const clean = ['HOME', 'XDG_STATE_HOME', 'PATH'].map((name) => `${name}="$${name}"`).join(' ')
    here.program('sh', ['-c', `setsid env -i ${clean} '${process.execPath}' '${driver}' </dev/null >/dev/null 2>&1 &`])
    const said = await vi.waitFor(() => readFileSync(result, 'utf8'), { timeout: soon })
    await expectRefused(here, said, /types into this terminal/)
  })

  it.each([
    ['CLAUDECODE', '1', 'Claude Code'],
    ['CODEX_THREAD_ID', 'x', 'Codex CLI'],
    ['GEMINI_CLI', '1', 'Gemini CLI'],
    ['HOOKLINE_CALL', 'x', 'a hook'],
    ['AGENT', 'somebody', 'somebody'],
  ])('is refused by the variables that it sets: %s', async (name, value, agent) => {
    const here = world()
    const { screen, exit } = await here.at(approveAll, { env: { [name]: value } }).ended()
    expect(exit).toBe(1)
    await expectRefused(here, screen, new RegExp(`runs under ${agent}`))
  })

  it.runIf(process.platform === 'linux')('is refused by a variable of a process above', async () => {
    const here = world()
    const inner = `env -i PATH="$PATH" HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME" ${shown}; true`
    const { screen } = await here
      .at([], { program: ['/bin/sh', '-c', `CLAUDECODE=1 /bin/sh -c '${inner.replaceAll("'", "'\\''")}'; true`] })
      .ended()
    await expectRefused(here, screen, /runs under Claude Code: a variable of process \d+/)
  })

  it.each(['claude', 'codex', 'opencode', 'crush'])('is refused by its name above: %s', async (name) => {
    const here = world()
    const program = join(here.root, name)
    writeFileSync(program, `#!/bin/sh\n${shown}\ntrue\n`)
    chmodSync(program, 0o755)
    const { screen } = await here.at([], { program: [program] }).ended()
    await expectRefused(here, screen, /runs under .*: process \d+/)
  })

  it.each([
    ['off', ['off']],
    ['a token', ['approve', '--new-token']],
    ['a passphrase', ['approve', '--new-passphrase']],
  ])('cannot have %s', async (_what, args) => {
    const here = world()
    const { screen, exit } = await here.at(args, { env: { CLAUDECODE: '1' } }).ended()
    expect(exit).toBe(1)
    await expectRefused(here, screen, /runs under Claude Code/)
  })

  it.each([
    ['revoke', ['revoke', '--all']],
    ['remove', ['remove', 'one']],
  ])('cannot %s', async (_what, args) => {
    const { run } = world()
    const { exit, stderr } = await run(args, { CLAUDECODE: '1' })
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/runs under Claude Code/)])
  })

  it('can only propose what loosens', async () => {
    const here = world()
    const { screen, exit } = await here.at(['allow', 'npm test'], { env: { CLAUDECODE: '1' } }).ended()
    expect(exit).toBe(3)
    const [, id] = /\((\w[\w-]*)\)\s*$/.exec(screen)!
    const accepting = await here.at(['rules', 'pending', '--accept', id!], { env: { CLAUDECODE: '1' } }).ended()
    await expectRefused(here, accepting.screen, /runs under Claude Code/)
  })
})

it('what a token approved says so, in the list and in the journal', async () => {
  const { run, env } = world()
  const token = makeToken(join(env.XDG_STATE_HOME, 'hookline'))
  const more = { HOOKLINE_APPROVE_TOKEN: token, XDG_DATA_HOME: env.XDG_STATE_HOME }
  expect((await run([...approveAll, '--yes'], more)).exit).toBe(0)
  expect((await run(['list'], more)).stdout).toMatch(/approved by token/)
  expect(JSON.parse((await run(['list', '--json'], more)).stdout)[0]).toMatchObject({ approved_by: 'token' })
  expect((await run(['log', '--json'], more)).stdout).toMatch(/hook-token-approved/)
})

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { binary, hookline, nobody } from '../../../hookline/test/support/cli.ts'
import { linesOf, script, workplace } from './support.ts'

describe('for scripts', () => {
  it('--print prints the reply and nothing else', async () => {
    const { run } = workplace()
    expect(await run('--print', 'hello', 'there')).toMatchObject({ exit: 0, stdout: 'You said: hello there\n' })
  })

  it('standard input is the prompt where there are no words, or where one is a dash', async () => {
    const { cwd, env } = workplace({ 'script.yaml': script })
    const args = ['run', '--rehearse', 'script.yaml', '--print']
    const whole = await hookline(args, 'one\ntwo\n', { cwd, env })
    expect(whole.stdout).toBe('You said: one\ntwo\n')
    const part = await hookline([...args, 'look at', '-'], 'this\n', { cwd, env })
    expect(part.stdout).toBe('You said: look at this\n')
    expect(await hookline(args, '', { cwd, env })).toMatchObject({ exit: 64, stdout: '' })
  })

  it('--json prints every happening on a line of its own, and the result last', async () => {
    const { run } = workplace()
    const result = await run('--json', '--yolo', 'run echo hi')
    const lines = linesOf(result)
    const types = lines.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['session', 'prompt', 'text', 'tool_call', 'tool_result', 'turn_end']))
    expect(lines.at(-1)).toMatchObject({ type: 'result', reason: 'normal', exit: 0 })
    expect(lines.every(({ session_id }) => session_id === lines[0]!['session_id'])).toBe(true)
  })

  it('without a person, a call that needs approval is blocked', async () => {
    const { run, cwd } = workplace()
    expect((await run('--print', 'run touch made')).stdout).toContain('non-interactive')
    expect(existsSync(join(cwd, 'made'))).toBe(false)
  })

  it.each([
    ['a refused prompt', 2, 'user_prompt_submit', 'hello'],
    ['a halted run', 2, 'turn_start', 'hello'],
  ])('%s exits with %i', async (_what, code, event, prompt) => {
    const hook = `{ id: stop, event: ${event}, run: "echo 'Not today.' >&2; exit 49" }`
    const { run } = workplace({ 'hookline.yaml': `version: 1\nhooks:\n  - ${hook}\n` })
    const result = await run('--print', '--trust', 'all', prompt)
    expect(result).toMatchObject({ exit: code, stdout: '' })
    expect(result.stderr).toContain('Not today.')
  })

  it.each([
    ['plan', []],
    ['default', []],
    ['accept-edits', ['written']],
    ['yolo', ['ran', 'written']],
  ])(
    '--permission-mode %s leaves %j behind of an edit and a command, and hooks read which mode holds',
    async (mode, made) => {
      const both = [
        '{ tool: write_file, input: { path: written, content: x } }',
        '{ tool: shell, input: { cmd: touch ran } }',
        '{ tool: shell, input: { cmd: rm -rf / } }',
      ]
      const { cwd, env } = workplace({
        'both.yaml': `rehearsal: 1\nturns:\n  - call: [${both.join(', ')}]\ndefault: { say: Done. }\n`,
        'hookline.yaml':
          // One write for each: the calls are judged at the same time.
          `version: 1\nuse: [security]\nhooks:\n  - { event: pre_tool_use, run: 'printf "%s\\n" "$(cat)" >> payloads' }\n`,
      })
      const args = ['run', '--rehearse', 'both.yaml', '--permission-mode', mode, '--trust', 'all', '--json', 'go']
      const lines = linesOf(await hookline(args, '', { cwd, env }))
      expect(['ran', 'written'].filter((name) => existsSync(join(cwd, name)))).toEqual(made)
      const results = lines.filter(({ type }) => type === 'tool_result')
      expect(results.filter(({ error }) => !error)).toHaveLength(made.length)
      expect(JSON.stringify(results)).toContain('It deletes the whole file system.')
      const seen = readFileSync(join(cwd, 'payloads'), 'utf8').trim().split('\n')
      expect(seen.map((line) => JSON.parse(line).permission_mode)).toEqual([mode, mode, mode])
    },
  )

  it('a limit exits with 3', async () => {
    const { run } = workplace()
    const result = await run('--json', '--yolo', '--max-iterations', '1', 'run echo hi')
    expect([result.exit, linesOf(result).at(-1)]).toMatchObject([3, { reason: 'max_iterations', exit: 3 }])
  })

  it('a goal ends when the claim holds; one that is given up exits with 1 and a line that says so', async () => {
    const { cwd, env } = workplace()
    const pursue = (goal: string) => hookline(['run', '--yolo', '--print', `/goal ${goal}`], '', { cwd, env })
    expect((await pursue('write made.txt: hello')).exit).toBe(0)
    expect(readFileSync(join(cwd, 'made.txt'), 'utf8')).toBe('hello')
    const given = await pursue('make coffee')
    expect([given.exit, given.stderr]).toEqual([1, expect.stringContaining('The goal is given up')])
  })

  it('without a writable directory the session is not kept, a line says so, and the agent works', async () => {
    const { cwd } = workplace({ file: '' })
    const env = { XDG_DATA_HOME: join(cwd, 'file/data') }
    const result = await hookline(['run', '--print', 'read file'], '', { cwd, env })
    expect([result.exit, result.stderr]).toEqual([0, expect.stringContaining('The session is not kept')])
    expect(result.stderr).not.toContain('    at ')
  })

  it('a model that fails exits with 1', async () => {
    const { cwd, env } = workplace({ 'fail.yaml': 'rehearsal: 1\ndefault: { fail: auth }\n' })
    const result = await hookline(['run', '--rehearse', 'fail.yaml', '--print', 'x'], '', { cwd, env })
    expect([result.exit, result.stdout]).toEqual([1, ''])
    expect(result.stderr).not.toBe('')
  })

  it.each([
    [['--print', '--json', 'x'], '`--print` and `--json`'],
    [['nowhere.yaml', 'x'], 'There is no agent file nowhere.yaml'],
    [['--max-iterations', '0', 'x'], '`--max-iterations` takes'],
    [['--resume=nonsense', 'x'], 'There is no session `nonsense`'],
    [['--resume', 'x'], 'No session has worked in'],
    [['--rehearse', 'nowhere.yaml', 'x'], 'nowhere.yaml'],
  ])('%j fails with a message that names the mistake', async (args, text) => {
    const result = await workplace().run(...args)
    expect(result.exit).not.toBe(0)
    expect(result.stderr).toContain(text)
    expect(result.stderr).not.toContain('    at ')
  })

  it('a reader that goes away ends the session in order', async () => {
    const { cwd, env } = workplace({ 'script.yaml': script })
    const command = `"${process.execPath}" "${binary}" run --rehearse script.yaml --hook-session-end 'cat > ended' 'slowly a fox' | head -1`
    execFileSync('sh', ['-c', command], { cwd, env: { ...process.env, ...nobody, ...env }, stdio: 'ignore' })
    await expect.poll(() => existsSync(join(cwd, 'ended')), { timeout: 60_000 }).toBe(true)
  })

  it('SIGINT cancels the one run there is', async () => {
    const { cwd, env } = workplace({ 'script.yaml': script })
    const args = [binary, 'run', '--rehearse', 'script.yaml', '--json', 'slowly a fox']
    const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...nobody, ...env } })
    let output = ''
    for await (const chunk of child.stdout) {
      output += chunk
      if (output.includes('Once') && !child.killed) child.kill('SIGINT')
    }
    const exit = child.exitCode ?? (await new Promise((resolve) => child.on('exit', resolve)))
    expect(exit).toBe(130)
    expect(output).toContain('"type":"end"')
  })
})

describe('a session that does not begin', () => {
  const ending = '  - { id: end, event: session_end, run: "cat > ended.json" }'

  it('because a hook halts it: one line, the exit code of a refusal, and the result last', async () => {
    const { run, cwd } = workplace({
      'halt.yaml': `version: 1\nhooks:\n  - { id: halt, event: session_start, run: "echo closed >&2; exit 49" }\n${ending}\n`,
    })
    const halted = await run('--config', 'halt.yaml', '--trust', 'all', '--json', 'hello')
    expect(halted.exit).toBe(2)
    expect(halted.stderr).toMatch(/^A hook ended the session as it began: closed$/m)
    expect(linesOf(halted).at(-1)).toMatchObject({ type: 'result', reason: 'halted', exit: 2 })
    expect(existsSync(join(cwd, 'ended.json'))).toBe(true)
  })

  it('because the user stops it while its hooks are at work: it ends like every other', async () => {
    const { cwd, env } = workplace({
      'script.yaml': script,
      'slow.yaml': `version: 1\nhooks:\n  - { id: slow, event: session_start, run: "touch begun; sleep 60", timeout: 90 }\n${ending}\n`,
    })
    const args = [
      binary,
      'run',
      '--rehearse',
      'script.yaml',
      '--config',
      'slow.yaml',
      '--trust',
      'all',
      '--json',
      'hello',
    ]
    const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...nobody, ...env } })
    const exit = new Promise((resolve) => child.on('close', resolve))
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    await expect.poll(() => existsSync(join(cwd, 'begun')), { timeout: 30_000 }).toBe(true)
    child.kill('SIGINT')
    expect(await exit).toBe(130)
    expect(JSON.parse(output.trim().split('\n').at(-1)!)).toMatchObject({
      type: 'result',
      reason: 'canceled',
      exit: 130,
    })
    expect(JSON.parse(readFileSync(join(cwd, 'ended.json'), 'utf8'))).toMatchObject({ reason: 'other' })
  })
})

describe('what a tool prints while it runs', () => {
  // Assembled, so that no scanner takes it for a real one.
  const key = ['ghp', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_')
  const printing = 'run echo first 42; cat notes; while [ ! -e seen ]; do sleep 0.05; done; echo last 43'
  const progress = (output: string) => output.split('\n').filter((line) => line.includes('"type":"tool_progress"'))

  async function watched(...options: string[]) {
    const { cwd, env } = workplace({ 'script.yaml': script, notes: `key=${key}\n` })
    const args = [binary, 'run', '--rehearse', 'script.yaml', '--json', '--yolo', ...options, printing]
    const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...nobody, ...env } })
    let output = ''
    for await (const chunk of child.stdout) {
      output += chunk
      if (progress(output).length > 0) writeFileSync(join(cwd, 'seen'), '')
    }
    return { output, before: output.slice(0, output.indexOf('"type":"tool_result"')) }
  }

  it('is shown as it comes, without secrets', async () => {
    const { output, before } = await watched()
    expect(progress(before).join()).toContain('first 42')
    expect(progress(output).join()).toContain('[REDACTED:github-token]')
    const shown = progress(output).map((line) => JSON.parse(line).text)
    expect(shown.join('')).toBe('first 42\nkey=[REDACTED:github-token]\nlast 43\n')
  })

  it('is held back where a hook could take something out of the result', async () => {
    const { output } = await watched('--hook-post-tool-use', 'true')
    expect(progress(output).map((line) => JSON.parse(line))).toMatchObject([{ text: '', held: true }])
  })
})

describe('sessions', () => {
  it('a killed process loses no message, and the session can be resumed', async () => {
    const { cwd, env, run, sessions } = workplace({ 'script.yaml': script })
    const args = [binary, 'run', '--rehearse', 'script.yaml', '--json', '--yolo', 'run echo first; sleep 5']
    const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...nobody, ...env } })
    let output = ''
    for await (const chunk of child.stdout) {
      output += chunk
      if (output.includes('"type":"approval"')) child.kill('SIGKILL')
    }
    const [killed] = JSON.parse((await sessions('--json')).stdout)
    expect(killed).not.toHaveProperty('ended')

    const hook = ['--hook-session-start', 'cat > started.json']
    const { stdout } = await run(...hook, '--print', `--resume=${killed.id}`, 'go on')
    expect(stdout).toBe('I was told that nobody knows whether it took effect.\n')
    expect(JSON.parse(readFileSync(join(cwd, 'started.json'), 'utf8'))).toMatchObject({
      source: 'resume',
      session_id: killed.id,
    })
    const shown = (await sessions('export', killed.id)).stdout
    expect(shown).toContain('run echo first; sleep 5')
    expect(shown).toContain('go on')

    expect((await run('--print', '--resume', 'and on')).stdout).toBe('You said: and on\n')
    expect(JSON.parse((await sessions('--json')).stdout)).toHaveLength(1)
  })

  it.each([
    { moment: 'while it answers', until: 'Once', prompt: 'slowly a fox' },
    { moment: 'as a tool answers', until: '"type":"tool_result"', prompt: 'run echo first' },
    { moment: 'as it has answered', until: '"type":"response"', prompt: 'run echo first' },
  ])('a process that is killed $moment has kept all that it showed but the words being streamed', async (given) => {
    const { cwd, env, sessions } = workplace({ 'script.yaml': script })
    const args = [binary, 'run', '--rehearse', 'script.yaml', '--json', '--yolo', given.prompt]
    const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...nobody, ...env } })
    let output = ''
    for await (const chunk of child.stdout) {
      output += chunk
      if (output.includes(given.until)) child.kill('SIGKILL')
    }
    const shown = output
      .split('\n')
      .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []))
    const kept = (await sessions('export', shown[0].session_id, '--format', 'json')).stdout
    for (const { type, text, content } of shown) {
      if (type === 'prompt' || type === 'response') expect(kept).toContain(JSON.stringify(text))
      if (type === 'tool_result') expect(kept).toContain(JSON.stringify(content))
    }
    expect(shown.some(({ type }) => type === 'prompt')).toBe(true)
  })

  it('are listed, shown, exported, resumed and deleted', async () => {
    const { run, sessions, env, cwd } = workplace({ 'script.yaml': script })
    await run('--print', 'hello')
    const [{ id }] = JSON.parse((await sessions('--json', '--here')).stdout)
    const short = id.split('-').at(-1)
    expect((await sessions()).stdout).toMatch(new RegExp(`${id}.*hello`))
    expect((await sessions('show', short)).stdout).toMatch(/› hello\n\nYou said: hello/)
    const records = JSON.parse((await sessions('show', short, '--json')).stdout)
    expect(records[0]).toMatchObject({ type: 'session', id })
    expect(JSON.parse((await sessions('export', short, '--format', 'json')).stdout)).toEqual(records)
    expect((await sessions('delete', short)).exit).toBe(1)
    expect((await sessions('delete', short, '--yes')).stdout).toBe(`Deleted ${id}.\n`)
    expect((await sessions('show', short)).exit).toBe(1)
    expect((await sessions('wrong')).exit).toBe(64)
    expect((await hookline(['sessions', '--json'], '', { cwd, env })).stdout).toBe('[]\n')
  })
})

describe('an agent file', () => {
  const team = [
    'agents:',
    '  root:',
    '    model: openai/gpt-5',
    '    instruction: Be brief.',
    '    sub_agents: [writer]',
    '    toolsets: [{ type: shell }]',
    '    hooks:',
    '      user_prompt_submit: [{ type: command, command: echo root >> seen }]',
    '  writer:',
    '    model: openai/gpt-5',
    '    instruction: Write.',
    '    hooks:',
    '      user_prompt_submit: [{ type: command, command: echo writer >> seen }]',
  ].join('\n')

  it('brings hooks that run for their own agent, once they are approved', async () => {
    const { run, cwd } = workplace({ 'agent.yaml': team })
    const before = await run('agent.yaml', '--print', 'hello')
    expect(before.stderr).toContain('hookline approve --config')
    expect(existsSync(join(cwd, 'seen'))).toBe(false)
    expect((await run('agent.yaml', '--trust', 'all', '--print', 'hello')).stdout).toBe('You said: hello\n')
    expect(readFileSync(join(cwd, 'seen'), 'utf8')).toBe('root\n')
  })

  it('cannot let its tools reach this machine, unless the person allows it too', async () => {
    const server = createServer((_request, response) => response.end('inside')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { cwd, env } = workplace({
      'agent.yaml': [
        'agents:',
        '  root:',
        '    model: rehearsal',
        '    instruction: Be brief.',
        '    toolsets: [{ type: fetch, allow_private_ips: true }]',
      ].join('\n'),
    })
    const args = ['run', 'agent.yaml', '--yolo', '--print', `fetch http://127.0.0.1:${port}/`]
    const before = await hookline(args, '', { cwd, env })
    expect(before.stdout).toContain('I could not do that')
    expect(before.stderr).toContain('start with `--allow-private-ips`')
    const allowed = await hookline([...args, '--allow-private-ips'], '', { cwd, env })
    expect([allowed.stdout, allowed.stderr]).toEqual([
      expect.stringContaining('inside'),
      expect.not.stringContaining('--allow-private-ips'),
    ])
  })

  it('without a key uses the rehearsal model, and a line says so', async () => {
    const { cwd, env } = workplace({ 'agent.yaml': team })
    const keyless = { ...env, OPENAI_API_KEY: '' }
    const result = await hookline(['run', 'agent.yaml', '--print', 'hello'], '', { cwd, env: keyless })
    expect([result.exit, result.stderr]).toEqual([
      0,
      expect.stringContaining('OPENAI_API_KEY is not set. The rehearsal model'),
    ])
  })

  it('messages leave by channels that the person has named, if hooks let them', async () => {
    const { run } = workplace({
      'channels.yaml': 'hook: { type: webhook, url: "http://127.0.0.1:1/", allow_private_ips: true }\n',
      'wrong.yaml': 'hook: { type: pigeon }\n',
    })
    const result = await run('--json', '/notify console hello')
    expect(linesOf(result)).toContainEqual(
      expect.objectContaining({ type: 'outbound', channel: 'console', state: 'sent' }),
    )
    expect(result.stderr).toContain('hello')
    const failed = await run('--json', '--channels', 'channels.yaml', '/notify hook hello')
    expect(linesOf(failed)).toContainEqual(
      expect.objectContaining({ type: 'outbound', channel: 'hook', state: 'failed' }),
    )
    const wrong = await run('--channels', 'wrong.yaml', 'x')
    expect([wrong.exit, wrong.stderr]).toEqual([64, expect.stringContaining('The channel `hook` cannot be used')])
  })
})

describe('a worktree', () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd, encoding: 'utf8' })

  function repository(hook: string, event = 'worktree_create') {
    const place = workplace({
      'hookline.yaml': `version: 1\nhooks:\n  - { id: seed, event: ${event}, run: ${JSON.stringify(hook)} }\n`,
      '.gitignore': '.env\n',
    })
    git(place.cwd, 'init', '-q', '-b', 'main')
    git(place.cwd, 'add', '-A')
    git(place.cwd, 'commit', '-q', '-m', 'first')
    writeFileSync(join(place.cwd, '.env'), 'A=1\n')
    return place
  }

  it('is made without a program that the repository names: its hooks, filters and monitors', async () => {
    const { run, cwd } = repository('true')
    const trap = (name: string) => `touch ${join(cwd, '..', `ran-${name}`)}; cat`
    writeFileSync(join(cwd, '.gitattributes'), '* filter=trap\n')
    git(cwd, 'add', '-A')
    git(cwd, 'commit', '-q', '-m', 'second')
    git(cwd, 'config', 'filter.trap.smudge', trap('smudge'))
    git(cwd, 'config', 'filter.trap.required', 'true')
    git(cwd, 'config', 'core.fsmonitor', trap('fsmonitor'))
    writeFileSync(join(cwd, '.git/hooks/post-checkout'), `#!/bin/sh\n${trap('hook')}\n`, { mode: 0o755 })
    const result = await run('--trust', 'all', '--worktree=plain', 'x')
    expect([result.exit, result.stdout]).toEqual([0, expect.stringContaining('on the branch worktree-plain.')])
    expect(readdirSync(join(cwd, '..')).filter((name) => name.startsWith('ran-'))).toEqual([])
  })

  it('is made on a fresh branch, prepared by hooks, worked in, and left there', async () => {
    const seed = `cat > payload.json; cp "$(node -p 'JSON.parse(require("fs").readFileSync("payload.json")).worktree_source_dir')/.env" .; echo '{"context":["Seeded."]}'`
    const { run, cwd, env } = repository(seed)
    const result = await run('--trust', 'all', '--yolo', '--worktree=try', 'run pwd; ls -A')
    expect(result.exit).toBe(0)
    expect(result.stdout).toContain('Seeded.')
    const path = join(env['XDG_DATA_HOME']!, 'hookline', 'worktrees', 'work', 'try')
    expect(result.stdout).toContain(`Working in ${path}, on the branch worktree-try.`)
    expect(readFileSync(join(path, '.env'), 'utf8')).toBe('A=1\n')
    expect(JSON.parse(readFileSync(join(path, 'payload.json'), 'utf8'))).toMatchObject({
      event: 'worktree_create',
      cwd: path,
      worktree_path: path,
      worktree_branch: 'worktree-try',
    })
    expect(git(cwd, 'branch', '--list', 'worktree-try')).toContain('worktree-try')
    expect(result.stdout).toMatch(/It said: \S*worktrees\/work\/try/)
    expect(await run('--trust', 'all', '--worktree=try', 'x')).toMatchObject({ exit: 1 })
  })

  it('that a hook refuses is not worked in, and leaves nothing', async () => {
    const { run, cwd, sessions } = repository(`echo 'No network.' >&2; exit 2`)
    const result = await run('--trust', 'all', '--worktree', 'x')
    expect(result.exit).toBe(2)
    expect(result.stdout).toContain('The worktree was refused: No network.')
    expect(git(cwd, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(git(cwd, 'branch', '--list', 'worktree-*')).toBe('')
    expect((await sessions('--json')).stdout).toBe('[]\n')
  })

  it('of a session that does not begin is not left there', async () => {
    const { run, cwd } = repository(`echo 'Not today.' >&2; exit 49`, 'session_start')
    expect((await run('--trust', 'all', '--worktree', 'x')).stdout).toContain('Not today.')
    expect(git(cwd, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(git(cwd, 'branch', '--list', 'worktree-*')).toBe('')
  })

  it('needs a repository', async () => {
    const result = await workplace().run('--worktree', 'x')
    expect([result.exit, result.stderr]).toEqual([1, expect.stringContaining('There is no git repository')])
  })
})

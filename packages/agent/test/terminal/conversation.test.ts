import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workplace } from './support.ts'

const ready = '› '

describe('a conversation', () => {
  it('prompts, answers, lists commands, and ends with a way to go on', async () => {
    const { talk, sessions } = workplace()
    const terminal = talk()
    await terminal.sees(ready)
    terminal.types('hello\r')
    await terminal.sees('You said: hello')
    await terminal.sees(ready)
    terminal.types('/help\r')
    await terminal.sees('/snapshots')
    terminal.types('/nonsense\r')
    await terminal.sees('There is no command `/nonsense`')
    terminal.types('/cost\r')
    await terminal.sees('1 model call')
    terminal.types('/quit\r')
    const { exit, screen } = await terminal.ended()
    expect(exit).toBe(0)
    const id = /--resume=(\S+)/.exec(screen)?.[1]
    expect(JSON.parse((await sessions('--json')).stdout)).toMatchObject([
      { id, title: 'hello', ended: 'prompt_input_exit' },
    ])
  })

  it('what a long command prints is seen while it runs, and once', async () => {
    const { talk, cwd } = workplace()
    const terminal = talk('run echo first 42; while [ ! -e seen ]; do sleep 0.1; done; echo last 43', '--yolo')
    await terminal.sees(/^ {2}first 42$/m)
    writeFileSync(join(cwd, 'seen'), '')
    await terminal.sees('It said: first 42')
    terminal.types('\x04')
    const { screen } = await terminal.ended()
    expect(screen.match(/^ {2}(?:first 42|last 43)$/gm)).toEqual(['  first 42', '  last 43'])
  })

  it('what is typed while it works steers it, and what is queued comes after', async () => {
    const { talk } = workplace()
    const terminal = talk('slowly a fox')
    await terminal.sees('Once')
    terminal.types('/later and what then?\r')
    await terminal.sees('Queued.')
    terminal.types('stop that\r')
    await terminal.sees('↪ steering: stop that')
    await terminal.sees('You said: stop that')
    await terminal.sees('↪ follow-up: and what then?')
    await terminal.sees('You said: and what then?')
    await terminal.sees(ready)
    terminal.types('\x04')
    expect((await terminal.ended()).exit).toBe(0)
  })

  it('several lines pasted at once are one prompt', async () => {
    const { talk } = workplace()
    const terminal = talk()
    await terminal.sees(ready)
    terminal.types('one\rtwo\rthree\r')
    await terminal.sees('You said: one\ntwo\nthree')
  })

  it('a line that was begun before a question came up is no answer to it', async () => {
    const { talk, cwd } = workplace()
    const terminal = talk('first talk, then run touch made')
    await terminal.sees('Let me')
    terminal.types('y')
    await terminal.sees('There is a question')
    terminal.types('\r')
    await terminal.sees('Run it?')
    expect(existsSync(join(cwd, 'made'))).toBe(false)
    terminal.types('n\r')
    await terminal.sees('↪ steering: y')
    expect(existsSync(join(cwd, 'made'))).toBe(false)
  })

  it('Ctrl+C stops what it does, twice ends the session, and session_end is raised', async () => {
    const { talk, cwd } = workplace()
    const terminal = talk('slowly and at great length', '--hook-session-end', 'cat > ended.json')
    await terminal.sees('Once')
    terminal.types('\x03')
    await terminal.sees('Stopping.')
    await terminal.sees(ready)
    terminal.types('still there?\r')
    await terminal.sees('You said: still there?')
    await terminal.sees(ready)
    terminal.types('\x03')
    await terminal.sees('Ctrl+C again')
    terminal.types('\x03')
    expect((await terminal.ended()).exit).toBe(130)
    expect(JSON.parse(readFileSync(join(cwd, 'ended.json'), 'utf8'))).toMatchObject({ reason: 'other' })
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('%s ends the session in order', async (signal, code) => {
    const { talk, cwd } = workplace()
    const terminal = talk('slowly a fox', '--hook-session-end', 'cat > ended.json')
    await terminal.sees('Once')
    process.kill(terminal.pid, signal)
    expect((await terminal.ended()).exit).toBe(code)
    expect(existsSync(join(cwd, 'ended.json'))).toBe(true)
  })
})

describe('a confirmation', () => {
  const guard = [
    'version: 1',
    'hooks:',
    '  - id: careful',
    '    event: tool_guard',
    '    matcher: { tool: shell }',
    `    run: echo '{"decision":"ask","reason":"It writes a file.","metadata":{"blast_radius":"high","category":"fs-modify","who":"me"}}'`,
  ].join('\n')

  it('shows what will run, who asks, why and how far it reaches; yes runs it', async () => {
    const { talk, cwd } = workplace({ 'hookline.yaml': guard })
    const terminal = talk('run echo hi > made', '--trust', 'all', '--yolo')
    await terminal.sees('Run it?')
    terminal.types('y\r')
    await terminal.sees(/It said:.*› /s)
    terminal.types('/quit\r')
    const { screen } = await terminal.ended()
    expect(screen).toMatch(/wants to call shell {2}▲ HIGH · fs-modify\n +echo hi > made\n/)
    expect(screen).toMatch(/asked by careful\n {2}It writes a file\.\n/)
    expect(screen).toContain('who: me')
    expect(readFileSync(join(cwd, 'made'), 'utf8')).toBe('hi\n')
  })

  it('no runs nothing, and its reason reaches the model', async () => {
    const { talk, cwd } = workplace()
    const terminal = talk('run echo hi > made')
    await terminal.sees('Run it?')
    terminal.types('\r')
    await terminal.sees('Run it?')
    terminal.types('no, use another file\r')
    await terminal.sees(/It said: .*use another file/s)
    expect(existsSync(join(cwd, 'made'))).toBe(false)
  })

  it('for the session covers the same command from then on, and no other; another one can be given instead', async () => {
    const { talk, cwd } = workplace()
    const terminal = talk('run touch one')
    await terminal.sees(
      /\[y\]es, once {2}\[s\]ession: `touch` with any arguments {2}\[a\]lways: allow run touch.*\[e\]dit {2}\[n\]o/s,
    )
    terminal.types('s\r')
    await terminal.sees(/It said:.*› /s)
    terminal.types('run touch two\r')
    await terminal.sees(/It said:.*› /s)
    terminal.types('run mkdir three\r')
    await terminal.sees('Run it?')
    terminal.types('e\r')
    await terminal.sees('Which command instead?')
    terminal.types('mkdir four\r')
    await terminal.sees(/mkdir four\s[\s\S]*Run it\?/)
    terminal.types('y\r')
    await terminal.sees(/It said:.*› /s)
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(['one', 'two', 'four']))
    expect(existsSync(join(cwd, 'three'))).toBe(false)
  })
})

describe('hooks', () => {
  it('are one quiet line while they have nothing to say, and are named when they deny', async () => {
    const { talk } = workplace({
      'hookline.yaml': [
        'version: 1',
        'hooks:',
        '  - { id: watcher, event: pre_tool_use, run: "true" }',
        '  - id: no-deletes',
        '    event: pre_tool_use',
        '    matcher: { tool: shell, args: { path: $.command, matches: rm } }',
        `    run: "echo 'Not here.' >&2; exit 2"`,
      ].join('\n'),
    })
    const terminal = talk('run echo hi', '--trust', 'all', '--yolo')
    await terminal.sees(/\d+ hooks ran.* \([\d.]+ m?s\)/)
    await terminal.sees(ready)
    terminal.types('run rm x\r')
    await terminal.sees(/✗ no-deletes blocked shell\s+Not here\./)
    await terminal.sees(/\d+ hooks ran: 1 blocked/)
    await terminal.sees(ready)
    terminal.types('/hooks off no-deletes\r')
    await terminal.sees('is off until the session ends')
    terminal.types('/hooks\r')
    await terminal.sees('no-deletes (off)')
    terminal.types('run rm -f x\r')
    await terminal.sees('It said:')
    terminal.types('/quit\r')
    expect((await terminal.ended()).exit).toBe(0)
  })
})

describe('an end that takes long', () => {
  it('shows what it waits for', async () => {
    const { talk } = workplace({
      'slow.yaml': 'version: 1\nhooks:\n  - { id: slow, event: session_end, run: "sleep 2.5" }\n',
    })
    const terminal = talk('--config', 'slow.yaml', '--trust', 'all')
    await terminal.sees(ready)
    terminal.types('/quit\r')
    await terminal.sees('Ending: hooks of `session_end` are still at work')
    expect((await terminal.ended()).exit).toBe(0)
  })
})

describe('/hooks doctor', () => {
  it('tries the hooks of this session, trusted as they are in it', async () => {
    const { talk } = workplace({
      'deny.yaml': 'version: 1\nhooks:\n  - { id: no-tools, event: pre_tool_use, run: "exit 2" }\n',
    })
    const terminal = talk('--config', 'deny.yaml', '--trust', 'all')
    await terminal.sees(ready)
    terminal.types('/hooks doctor\r')
    await terminal.sees(/no-tools +pre_tool_use +(?!not run)/)
    await terminal.sees(ready)
  })
})

describe('hooks that change while it runs', () => {
  const config = (reason: string) =>
    [
      'version: 1',
      'hooks:',
      '  - id: no-deletes',
      '    event: pre_tool_use',
      `    run: "echo '${reason}' >&2; exit 2"`,
    ].join('\n')

  it('run from the next event on; a broken file leaves the last good hooks, and both print a line', async () => {
    const { talk, cwd } = workplace()
    const file = join(cwd, 'hookline.yaml')
    const terminal = talk('--trust', 'all', '--yolo')
    await terminal.sees(ready)
    writeFileSync(file, config('Not here.'))
    await terminal.sees('new: no-deletes')
    terminal.types('run touch one\r')
    await terminal.sees(/no-deletes blocked shell\s+Not here\./)
    await terminal.sees(ready)
    terminal.types('/cost\r')
    await terminal.sees(ready)
    writeFileSync(file, 'version: 1\nhooks: [')
    await terminal.sees('The config has changed and cannot be loaded')
    terminal.types('run touch two\r')
    await terminal.sees(/no-deletes blocked shell\s+Not here\./)
    await terminal.sees(ready)
    writeFileSync(file, config('Nor now.'))
    await terminal.sees('changed: no-deletes')
    terminal.types('run touch three\r')
    await terminal.sees(/no-deletes blocked shell\s+Nor now\./)
    await terminal.sees(ready)
    terminal.types('/quit\r')
    expect((await terminal.ended()).exit).toBe(0)
    expect(['one', 'two', 'three'].some((name) => existsSync(join(cwd, name)))).toBe(false)
  })
})

describe('snapshots', () => {
  it('/undo puts back what the last turn did', async () => {
    const { talk, cwd } = workplace()
    const git = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
    execFileSync('git', ['init', '-q'], { cwd })
    execFileSync('git', [...git, 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd })
    const terminal = talk('run echo hi > made', '--yolo')
    await terminal.sees(/It said:.*› /s)
    expect(existsSync(join(cwd, 'made'))).toBe(true)
    terminal.types('/snapshots\r')
    await terminal.sees('1 file')
    terminal.types('/undo\r')
    await terminal.sees('Put back 1 file')
    expect(existsSync(join(cwd, 'made'))).toBe(false)
  })
})

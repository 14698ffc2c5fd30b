import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline } from '../../../hookline/test/support/cli.ts'
import { scratch } from '../../../hookline/test/support/scratch.ts'
import { terminal } from '../../../hookline/test/support/terminal.ts'
import { agentWith } from '../agent-with.ts'
import { script } from './support.ts'

/** A server that is no server: that it was started is all there is to see. */
const agentFile = `agents:
  root:
    model: rehearsal
    instruction: You help.
    toolsets:
      - { type: shell, env: { GREETING: hello } }
      - { type: mcp, name: demo, command: sh, args: [./server.sh] }
      - { type: script, shell: { greet: { cmd: 'echo greeted > greeted' } } }
permissions:
  allow: [shell, greet]
`

function world(file = agentFile) {
  const root = scratch({
    'script.yaml': script,
    'work/agent.yaml': file,
    'work/server.sh': 'touch started\n',
  })
  const cwd = join(root, 'work')
  const env = {
    HOME: join(root, 'home'),
    XDG_CONFIG_HOME: join(root, 'config'),
    XDG_STATE_HOME: join(root, 'state'),
    XDG_DATA_HOME: join(root, 'data'),
    HOOKLINE_APPROVE_TOKEN: '',
  }
  const words = ['--rehearse', join(root, 'script.yaml')]
  return {
    cwd,
    there: (name: string) => existsSync(join(cwd, name)),
    hookline: (...args: string[]) => hookline(args, '', { cwd, env }),
    run: (...args: string[]) => hookline(['run', 'agent.yaml', ...words, ...args], '', { cwd, env }),
    talk: (...args: string[]) =>
      terminal(['run', '--plain', 'agent.yaml', ...words, ...args], { cwd, env, columns: 120 }),
  }
}

describe('an agent file that is not approved', () => {
  it('starts, allows and sets nothing without a person, and shows how to approve it', async () => {
    const { run, there, cwd } = world()
    const { exit, stdout } = await run('run touch made')
    expect(exit).toBe(0)
    expect(stdout).toMatch(/agent\.yaml brings what nobody has approved/)
    expect(stdout).toContain('root/mcp/demo starts this program, and offers its tools: sh ./server.sh')
    expect(stdout).toContain('permissions lets these calls run without asking you: shell, greet')
    expect(stdout).toContain('hookline approve agent.yaml')
    expect(stdout).toContain("✗ Blocked: Tool 'shell' requires user confirmation but the session is non-interactive.")
    expect([there('started'), there('made')]).toEqual([false, false])
    writeFileSync(join(cwd, 'agent.yaml'), agentFile.replace('allow:', 'deny: [shell]\n  allow:'))
    expect((await run('run touch made', '--yolo')).stdout).toContain('The rule `shell` of the agent file forbids it.')
    expect(there('made')).toBe(false)
  })

  it('has its effect for one run with --trust', async () => {
    const { run, there } = world()
    expect((await run('run echo $GREETING; touch made', '--trust', 'all')).stdout).toMatch(/It said: hello/)
    expect([there('started'), there('made')]).toEqual([true, true])
    expect((await run('run touch again')).stdout).toMatch(/nobody has approved/)
    expect(there('again')).toBe(false)
  })

  it('is shown for approval once, and again with the difference when it has changed', async () => {
    const { run, talk, there, cwd } = world()
    const first = talk('run touch made')
    await first.sees('[y/N]')
    expect([there('started'), there('made')]).toEqual([false, false])
    first.types('y\r')
    await first.sees('It said')
    first.types('\x04')
    const { screen } = await first.ended()
    expect(screen).toMatch(/It starts this program/)
    expect(screen).toMatch(/server\.sh\s+sha256:/)
    expect([there('started'), there('made')]).toEqual([true, true])

    const second = talk('run touch twice')
    await second.sees('It said')
    second.types('\x04')
    expect((await second.ended()).screen).not.toContain('[y/N]')
    expect((await run('run touch headless')).stdout).not.toMatch(/nobody has approved/)
    expect([there('twice'), there('headless')]).toEqual([true, true])

    writeFileSync(join(cwd, 'agent.yaml'), readFileSync(join(cwd, 'agent.yaml'), 'utf8').replace('[shell,', '["*",'))
    writeFileSync(join(cwd, 'server.sh'), 'touch other\n')
    const third = talk('run touch third')
    await third.sees('[y/N]')
    third.types('n\r')
    await third.sees('Run it?')
    third.types('n\r')
    await third.sees('The user said no')
    third.types('\x04')
    const changed = (await third.ended()).screen
    expect(changed).toMatch(/- touch started\s+\+ touch other/)
    expect(changed).toMatch(/\+ +"\*"/)
    expect(changed).not.toContain('is a tool that runs')
    expect([there('other'), there('third')]).toEqual([false, false])
  })

  it('is listed with its digests, each of which can be trusted, and is approved by a person only', async () => {
    const { hookline, run } = world()
    const { stdout } = await hookline('list', '--config', 'agent.yaml', '--json')
    const all: { id: string; event: string | null; trust: string; digest: string }[] = JSON.parse(stdout)
    const brought = all.filter(({ event }) => event === null)
    expect(brought.map(({ id, trust }) => `${id}: ${trust}`)).toEqual([
      'root/shell/env: not-approved',
      'root/mcp/demo: not-approved',
      'root/script/greet: not-approved',
      'permissions: not-approved',
    ])
    const { digest } = brought[2]!
    expect((await run('hello', '--trust', digest)).stdout).not.toContain('root/script/greet')
    expect((await hookline('approve', 'agent.yaml')).stderr).toMatch(/needs a person/)
  })

  it.each([
    ['an argument', '{ type: mcp, command: sh, args: ["$XDG_DATA_HOME/../work/server.sh"] }'],
    [
      'a variable of its own',
      '{ type: script, shell: { x: { cmd: sh $at/server.sh, env: { at: $XDG_DATA_HOME/../work } } } }',
    ],
  ])('is bound to the bytes of a script also where %s says which one that is', async (_, toolset) => {
    const { hookline, cwd } = world(`agents: { root: { model: rehearsal, toolsets: [${toolset}] } }\n`)
    const brought = async () => {
      const all: { event: unknown; digest: string; files: unknown[] }[] = JSON.parse(
        (await hookline('list', '--config', 'agent.yaml', '--json')).stdout,
      )
      return all.find(({ event }) => event === null)!
    }
    const before = await brought()
    expect(before.files).toMatchObject([{ realpath: expect.stringMatching(/work\/server\.sh$/) }])
    writeFileSync(join(cwd, 'server.sh'), 'touch other\n')
    expect((await brought()).digest).not.toBe(before.digest)
  })

  it('a server whose program has changed since it was looked at is not started again', async () => {
    const { openTools } = await import('../../src/tools/index.ts')
    const spec = { type: 'mcp', name: 'demo', command: 'sh', args: ['./server.sh'] }
    const notes: string[] = []
    const { cwd, there } = world()
    const { tools, close } = await openTools(agentWith(spec), {
      cwd,
      mayNotStart: (toolset) => (toolset === spec ? 'It has changed.' : undefined),
      warn: ({ message }) => notes.push(message),
    })
    await close()
    expect([tools, notes, there('started')]).toEqual([[], [expect.stringContaining('It has changed.')], false])
  })

  it('a command line whose script the agent has just written is not run, and the others of its toolset are', async () => {
    const { hookline, there, cwd } = world(`agents:
  root:
    model: rehearsal
    instruction: You help.
    toolsets:
      - { type: shell }
      - type: filesystem
        post_edit:
          - { path: '*', cmd: 'sh ./server.sh' }
          - { path: '*', cmd: 'touch edited' }
`)
    const { stdout } = await hookline('list', '--config', 'agent.yaml', '--json')
    const brought: { event: string | null; digest: string }[] = JSON.parse(stdout)
    const trust = brought.flatMap(({ event, digest }) => (event === null ? ['--trust', digest] : []))
    const write = async (...words: string[]) =>
      (await hookline('run', 'agent.yaml', '--yolo', ...trust, ...words)).stdout
    await write('write notes.txt: hello')
    expect([there('started'), there('edited')]).toEqual([true, true])
    rmSync(join(cwd, 'edited'))
    expect(await write('write server.sh: touch slipped-in')).toMatch(/has changed since it was approved/)
    expect([there('slipped-in'), there('edited')]).toEqual([false, true])
  })

  it('sends the conversation and a key to no server that is not approved', async () => {
    const { hookline } = world(`agents:
  root: { model: far, instruction: You help. }
models:
  far: { provider: openai, model: gpt-5, base_url: 'https://models.invalid/v1', token_key: HOME }
`)
    const { exit, stderr } = await hookline('run', 'agent.yaml', 'hello')
    expect(exit).toBe(1)
    expect(stderr).toMatch(/Nobody has approved the server/)
  })
})

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { binary, nobody, unmarked } from '../../../hookline/test/support/cli.ts'
import { workplace } from './support.ts'

const play = `
rehearsal: 1
turns:
  - { when: { user: plan, tool: create_todos }, say: Planned. }
  - when: { tool: '.*' }
    say: 'It said: {{ result }}'
    repeat: true
  - { when: { user: plan }, call: { tool: create_todos, input: { descriptions: [look, change] } } }
  - { when: { user: change }, call: { tool: edit_file, input: { path: poem.txt, edits: [{ oldText: two, newText: '2' }] } } }
  - { when: { user: remove }, call: { tool: shell, input: { cmd: rm -rf kept } } }
  - { when: { user: touch }, call: { tool: shell, input: { cmd: touch made } }, repeat: true }
  - { when: { user: slowly }, say: 'Once upon a time there was a fox that ran and ran and ran and ran', pace_ms: 200 }
  - { when: { user: everything }, call: { tool: mcp_everything_echo, input: { message: hello from the editor } } }
default: { say: 'You said: {{ user }}' }
`

interface Editor {
  agent: acp.ClientContext
  updates: acp.SessionUpdate[]
  questions: acp.RequestPermissionRequest[]
  /** What the person answers next; else they say no. */
  answers: string[]
  text(): string
  /** The editor goes away. */
  close(): Promise<number | null>
}

/** An editor of the protocol's own making, with our agent as its child. */
async function openEditor(cwd: string, env: Record<string, string>, ...args: string[]): Promise<Editor> {
  const child = spawn(process.execPath, [binary, 'run', '--acp', '--rehearse', 'play.yaml', ...args], {
    cwd,
    env: { ...unmarked(process.env), ...nobody, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const gone = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const [updates, questions, answers]: [acp.SessionUpdate[], acp.RequestPermissionRequest[], string[]] = [[], [], []]
  const { client: methods } = acp.methods
  const connection = acp
    .client({ name: 'editor' })
    .onNotification(methods.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.session.requestPermission, ({ params }) => {
      questions.push(params)
      const optionId = answers.shift()
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } }
    })
    .connect(
      acp.ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    )
  const { agent } = connection
  const { agentCapabilities } = await agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {},
  })
  expect(agentCapabilities).toMatchObject({ loadSession: true, sessionCapabilities: { list: {} } })
  return {
    ...{ agent, updates, questions, answers },
    text: () =>
      updates
        .flatMap((each) =>
          each.sessionUpdate === 'agent_message_chunk' && each.content.type === 'text' ? [each.content.text] : [],
        )
        .join(''),
    close() {
      child.stdin.end()
      return gone
    },
  }
}

const prompt = (text: string): acp.ContentBlock[] => [{ type: 'text', text }]
const { session } = acp.methods.agent

describe('an editor drives the agent', () => {
  it('prompts, plans, sees changes, allows and refuses, cancels, and finds its session again', async () => {
    const { cwd, env } = workplace({ 'poem.txt': 'one\ntwo\n', 'kept/uploads.db': 'x', 'play.yaml': play })
    const editor = await openEditor(cwd, env, '--hook-session-end', 'cat > ended.json')
    const { agent, updates, questions, answers } = editor
    const { sessionId, modes } = await agent.request(session.new, { cwd, mcpServers: [] })
    const say = (text: string) => agent.request(session.prompt, { sessionId, prompt: prompt(text) })
    expect(modes).toMatchObject({ currentModeId: 'default', availableModes: [{ id: 'plan' }, {}, {}, {}] })

    expect(await say('hello')).toMatchObject({ stopReason: 'end_turn' })
    expect(editor.text()).toBe('You said: hello')
    expect(updates[0]).toMatchObject({ sessionUpdate: 'available_commands_update' })

    await say('plan')
    expect(updates.find((each) => each.sessionUpdate === 'plan')).toMatchObject({
      entries: [
        { content: 'look', status: 'pending' },
        { content: 'change', status: 'pending' },
      ],
    })

    answers.push('once')
    await say('change')
    const diff = { type: 'diff', path: join(cwd, 'poem.txt'), oldText: 'one\ntwo\n', newText: 'one\n2\n' }
    expect(questions[0]?.toolCall).toMatchObject({ kind: 'edit', content: [diff, {}] })
    expect(questions[0]?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once'])
    expect(updates.findLast((each) => each.sessionUpdate === 'tool_call_update')).toMatchObject({
      status: 'completed',
      content: [diff, {}],
    })
    expect(readFileSync(join(cwd, 'poem.txt'), 'utf8')).toBe('one\n2\n')

    answers.push('no')
    await say('remove')
    expect(questions[1]?.toolCall.content).toMatchObject([
      { content: { text: '▲ HIGH · fs-delete' } },
      {},
      { content: { text: 'It deletes 1 untracked file: kept/uploads.db; git cannot bring it back.' } },
    ])
    questions.pop()
    answers.push('no')
    await say('touch it')
    expect(updates.findLast((each) => each.sessionUpdate === 'tool_call_update')).toMatchObject({ status: 'failed' })
    expect(existsSync(join(cwd, 'made'))).toBe(false)
    answers.push('tool')
    await say('touch it again')
    await say('touch it once more')
    expect(questions).toHaveLength(3)
    await agent.request(session.setMode, { sessionId, modeId: 'plan' })
    await say('touch it, but only plan')
    expect(updates.findLast((each) => each.sessionUpdate === 'tool_call_update')).toMatchObject({ status: 'failed' })
    await agent.request(session.setMode, { sessionId, modeId: 'default' })
    expect(existsSync(join(cwd, 'made'))).toBe(true)

    const slow = say('slowly')
    await expect.poll(() => editor.text()).toContain('Once')
    await agent.notify(session.cancel, { sessionId })
    expect(await slow).toMatchObject({ stopReason: 'cancelled' })

    await say('/why')
    expect(editor.text()).toMatch(/decided anything|Verdict/)
    await expect(agent.request(session.prompt, { sessionId: 'nobody', prompt: prompt('x') })).rejects.toThrow()
    expect((await agent.request(session.list, { cwd })).sessions).toMatchObject([{ sessionId, cwd, title: 'hello' }])
    await agent.request(session.close, { sessionId })
    expect(JSON.parse(readFileSync(join(cwd, 'ended.json'), 'utf8'))).toMatchObject({ session_id: sessionId })

    updates.length = 0
    await agent.request(session.load, { sessionId, cwd, mcpServers: [] })
    expect(updates.slice(0, 2)).toMatchObject([
      { sessionUpdate: 'user_message_chunk', content: { text: 'hello' } },
      { sessionUpdate: 'agent_message_chunk', content: { text: 'You said: hello' } },
    ])
    expect(await say('and now')).toMatchObject({ stopReason: 'end_turn' })
    expect(await editor.close()).toBe(0)
  })

  it('brings pictures, files and MCP servers; hooks see where prompts come from; resumes and deletes', async () => {
    const seen = (event: string) => `  - { event: ${event}, run: "cat >> ${event}.jsonl; echo >> ${event}.jsonl" }`
    const hooks = ['version: 1', 'hooks:', seen('user_prompt_submit'), seen('on_user_input')]
    const { cwd, env } = workplace({ 'play.yaml': play, 'hookline.yaml': hooks.join('\n') })
    const payloads = (event: string) =>
      readFileSync(join(cwd, `${event}.jsonl`), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    const editor = await openEditor(cwd, env, '--yolo', '--trust', 'all')
    const { agent } = editor
    const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
    const server: acp.McpServer = {
      name: 'everything',
      command: process.execPath,
      args: [everything, 'stdio'],
      env: [],
    }
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [server] })
    expect(payloads('on_user_input')).toMatchObject([{ session_id: sessionId }])

    const blob = Buffer.from('%PDF-').toString('base64')
    await agent.request(session.prompt, {
      sessionId,
      prompt: [
        { type: 'text', text: 'look at ' },
        { type: 'resource', resource: { uri: 'file:///a/b.txt', text: 'inside b' } },
        { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
        { type: 'resource', resource: { uri: 'file:///a/c.pdf', mimeType: 'application/pdf', blob } },
      ],
    })
    expect(editor.text()).toContain('You said: look at \n<file path="/a/b.txt">\ninside b\n</file>')
    expect(payloads('user_prompt_submit')).toMatchObject([
      {
        channel: 'acp',
        attachments: [
          { name: 'picture', media_type: 'image/png', bytes: 8 },
          { name: '/a/c.pdf', media_type: 'application/pdf', bytes: 5 },
        ],
      },
    ])

    await agent.request(session.prompt, { sessionId, prompt: prompt('everything') })
    expect(editor.text()).toContain('It said: Echo: hello from the editor')
    const given = await agent.request(session.prompt, { sessionId, prompt: prompt('/goal an end') })
    expect(given).toMatchObject({ stopReason: 'max_turn_requests' })

    await agent.request(session.close, { sessionId })
    editor.updates.length = 0
    await agent.request(session.resume, { sessionId, cwd, mcpServers: [] })
    await agent.request(session.prompt, { sessionId, prompt: prompt('once more') })
    expect(editor.updates.some((each) => each.sessionUpdate === 'user_message_chunk')).toBe(false)
    expect(editor.text()).toBe('You said: once more')
    await agent.request(session.delete, { sessionId })
    expect((await agent.request(session.list, { cwd })).sessions).toEqual([])
    await expect(agent.request(session.load, { sessionId, cwd, mcpServers: [] })).rejects.toThrow(/no session/)
    expect(await editor.close()).toBe(0)
  })

  it('hooks hold: a denied call fails with the reason, and a denied prompt is a refusal', async () => {
    const hooks = [
      'version: 1',
      'hooks:',
      '  - id: words',
      '    event: user_prompt_submit',
      `    run: "grep -q secret && { echo 'Not that word.' >&2; exit 2; }; exit 0"`,
      `  - { id: tools, event: pre_tool_use, run: "echo '[security] this would erase the disk: mkfs.ext4 /dev/sda1' >&2; exit 2" }`,
    ]
    const { cwd, env } = workplace({ 'play.yaml': play, 'hookline.yaml': hooks.join('\n') })
    const editor = await openEditor(cwd, env, '--yolo', '--trust', 'all')
    const { agent, updates } = editor
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] })
    const say = (text: string) => agent.request(session.prompt, { sessionId, prompt: prompt(text) })
    expect(await say('the secret')).toMatchObject({ stopReason: 'refusal' })
    expect(editor.text()).toContain('Not that word.')
    await say('touch it')
    const update = updates.findLast((each) => each.sessionUpdate === 'tool_call_update')
    const text = 'Blocked: This would erase the disk\n```\nmkfs.ext4 /dev/sda1\n```'
    expect(update).toMatchObject({ status: 'failed', content: [{ content: { text } }] })
    expect(existsSync(join(cwd, 'made'))).toBe(false)
    expect(await editor.close()).toBe(0)
  })
})

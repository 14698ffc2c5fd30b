import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { entry, write } from './support/journal.ts'
import { home, openServer, type TestServer } from './support/server.ts'

const config = `version: 1
# Written by people.
rules:
  - id: no-force # keep
    deny: { run: git push --force }
`

let server: TestServer
let project: string
beforeAll(async () => {
  server = await openServer()
  project = join(server.root, 'shop')
  mkdirSync(project)
  writeFileSync(join(project, 'hookline.yaml'), config)
  const here = (command: string) =>
    entry(command, {
      project,
      payload: { cwd: project, tool_name: 'shell', tool_input: { command }, session_id: 's1' },
    })
  await write(server.journal, ['npm publish', 'npm test', 'npm publish --tag next'].map(here))
  const listed = async () => (await server.json<{ projects: string[] }>('/api/projects')).projects
  await vi.waitFor(async () => expect(await listed()).toContain(project), { timeout: 60_000 })
})
afterAll(() => server.end())

const send = async (path: string, body: object) => {
  const response = await server.send('POST', path, { project, ...body })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

it('lists the rules and hooks of a project where agents worked, and of no other directory', async () => {
  const at = `/api/hooks?project=${encodeURIComponent(project)}`
  expect(await server.json(at)).toMatchObject({
    rules: [{ id: 'no-force', ruling: 'deny', sentence: 'run git push --force', layer: 'project', editable: true }],
    hooks: [{ type: 'rules', trust: 'holds', waits: false, runs: 3, duration_ms: { p50: 1.5, p99: 1.5 } }],
  })
  expect((await server.get(`/api/hooks?project=${encodeURIComponent('/etc')}`)).status).toBe(404)
  expect((await send('/api/rules/preview', { file: '/etc/passwd', rule: 'deny: { run: ls }' })).status).toBe(404)
})

it('shows what a rule would change before it is saved, and what is wrong with one that cannot be', async () => {
  const { body } = await send('/api/rules/preview', { rule: 'deny: { run: npm publish }' })
  expect(body).toMatchObject({ sentence: 'run npm publish', replayed: 3, counts: { blocked: 2 }, needs_person: false })
  const wrong = await send('/api/rules/preview', { rule: 'deny: { rum: npm publish }' })
  expect(wrong.status).toBe(422)
  expect(JSON.stringify(wrong.body)).toContain('Did you mean `run`?')
  expect(readFileSync(join(project, 'hookline.yaml'), 'utf8')).toBe(config)
})

it('adds what tightens, keeps every comment, and leaves what loosens to a person', async () => {
  const added = await send('/api/rules', { rule: 'ask: { run: npm publish }' })
  expect(added).toMatchObject({ status: 200, body: { id: 'ask-npm-publish' } })
  const text = readFileSync(join(project, 'hookline.yaml'), 'utf8')
  expect(text).toContain('# Written by people.')
  expect(text).toContain('- id: no-force # keep')
  expect(text).toContain('ask: { run: npm publish }')
  const file = join(project, 'hookline.yaml')
  for (const [path, body] of [
    ['/api/rules', { rule: 'allow: { run: npm publish }' }],
    ['/api/rules', { rule: 'ask: { run: git push }', replaces: 'no-force', file }],
    ['/api/rules/remove', { replaces: 'no-force', file }],
    ['/api/hooks/approve', { id: 'rules', digest: 'x' }],
  ] as const)
    expect(await send(path, body)).toMatchObject({ status: 403, body: { code: 'proof-needed' } })
  expect(readFileSync(file, 'utf8')).toBe(text)
  const changes = async () =>
    (await server.json<{ decisions: unknown[] }>('/api/decisions?all=true&event=notification')).decisions
  await vi.waitFor(async () => expect(await changes()).toHaveLength(1), { timeout: 60_000 })
})

it('says of each guard whether it would block, when that was tried and on what; after a change nothing is known', async () => {
  const at = `/api/hooks?project=${encodeURIComponent(project)}`
  const rule = async () =>
    (await server.json<{ rules: { id: string; proof: object | null }[] }>(at)).rules.find(({ id }) => id === 'no-force')
  expect((await rule())?.proof).toBeNull()
  expect((await send('/api/hooks/prove', {})).status).toBe(200)
  expect((await rule())?.proof).toEqual({
    ...{ state: 'proven', at: expect.stringMatching(/Z$/), summary: expect.stringContaining('git push --force') },
  })
  const file = join(project, 'hookline.yaml')
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, before.replace('git push --force', 'git push --farce'))
  expect((await rule())?.proof).toBeNull()
  writeFileSync(file, before)
  expect((await server.send('POST', '/api/hooks/prove', {})).status).toBe(409)
})

it('an agent approves its own hook the way of Starchild only where the user allows that, and only one that is declared', async () => {
  const attempt = async (command: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/internal/runtime/hooks/approve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ command }),
    })
    return { status: response.status, body: await response.json() }
  }
  // Where there is no config at all, nobody has allowed it either.
  expect((await attempt('/bin/true')).status).toBe(404)
  writeFileSync(
    join(server.root, 'hookline.yaml'),
    `version: 1
hooks:
  - { id: guard, event: pre_tool_use, run: { type: command, command: /bin/true } }
  - { id: audit, event: post_tool_use, run: { type: command, command: /bin/true } }
`,
  )
  expect((await attempt('/bin/true')).status).toBe(404)
  const own = join(home, 'XDG_CONFIG_HOME/hookline')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'hooks.yaml'), 'version: 1\ntrust: { self_approve: loopback }\n', { mode: 0o600 })
  expect((await attempt('/bin/false')).status).toBe(422)
  // A proxy on this machine speaks for somebody elsewhere.
  for (const name of ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'])
    expect((await attempt('/bin/true', { [name]: 'for=192.0.2.1' })).status).toBe(404)
  expect(await attempt('/bin/true')).toEqual({
    status: 200,
    body: { ok: true, events: ['pre_tool_use', 'post_tool_use'], mounted: 2, master_enabled: true },
  })
  const { hooks } = await server.json<{ hooks: { id: string; trust: string }[] }>('/api/hooks')
  expect(hooks.filter(({ id }) => id === 'guard' || id === 'audit').map(({ trust }) => trust)).toEqual([
    'approved',
    'approved',
  ])
})

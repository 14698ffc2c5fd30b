import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { remove } from '../../hookline/test/support/scratch.ts'
import { entry, write } from './support/journal.ts'
import { openServer, type TestServer } from './support/server.ts'

const config = `version: 1
rules:
  - id: no-force
    deny: { run: git push --force }
    because: Force pushes are off limits here.
  - id: pushes
    ask: { run: git push }
hooks:
  - id: note
    event: pre_tool_use
    matcher: { tool: write_file }
    run: { type: command, command: echo }
`

let server: TestServer
let project: string
const home = mkdtempSync(join(tmpdir(), 'hookline-person-'))
beforeAll(async () => {
  server = await openServer()
  project = join(server.root, 'shop')
  mkdirSync(project)
  writeFileSync(join(project, 'hookline.yaml'), config)
  for (const name of ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME']) vi.stubEnv(name, join(home, name))
  vi.stubEnv('HOME', home)
  const here = (command: string) =>
    entry(command, {
      project,
      payload: { cwd: project, tool_name: 'shell', tool_input: { command }, session_id: 's1' },
    })
  await write(server.journal, ['npm publish', 'npm test', 'git push --force'].map(here))
  const listed = async () => (await server.json<{ projects: string[] }>('/api/projects')).projects
  await vi.waitFor(async () => expect(await listed()).toContain(project), { timeout: 60_000 })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.end()
  remove(home)
})

const send = async (path: string, body: object) => {
  const response = await server.send('POST', path, { project, ...body })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

it('explains a command: what it would do, which rules match, every test of every matcher, and the fold', async () => {
  const { body } = await send('/api/explain', {
    given: { tool: 'shell', command: 'git push --force origin main > out' },
  })
  expect(body).toMatchObject({
    event: 'pre_tool_use',
    actions: expect.arrayContaining([expect.objectContaining({ kind: 'run', shown: 'git push --force origin main' })]),
    decision: { ruling: 'deny' },
    by: ['no-force'],
    rules: [
      { id: 'no-force', ruling: 'deny', match: 'decides' },
      { id: 'pushes', ruling: 'ask', match: 'overruled' },
    ],
    hooks: expect.arrayContaining([
      expect.objectContaining({
        id: 'note',
        runs: false,
        matcher: [{ looks_at: 'tool', for: 'write_file', saw: ['shell'], passes: false }],
      }),
    ]),
    fold: [{ outcome: 'deny', counts: true, so_far: { decision: { ruling: 'deny' } } }],
    unknown: [],
  })
  // A hook that acts does not run to be shown, and what it would answer is not claimed to be known.
  const other = await send('/api/explain', { given: { tool: 'write_file', input: { path: 'a', content: 'b' } } })
  expect(other.body).toMatchObject({ decision: null, unknown: ['note'] })
})

it('runs hooks only for somebody who has shown to be a person, and explains no event that there is not', async () => {
  const given = { tool: 'shell', command: 'ls' }
  expect(await send('/api/explain', { given, run: true })).toMatchObject({
    status: 403,
    body: { code: 'proof-needed' },
  })
  expect((await send('/api/explain', { given: { event: 'no_such_event' } })).status).toBe(422)
  expect((await send('/api/explain', { project: '/etc', given })).status).toBe(404)
})

it('writes down what was tried as a test case, beside those that are there', async () => {
  const file = join(project, 'hookline.test.yaml')
  writeFileSync(
    file,
    'version: 1\ncases:\n  # Kept.\n  - name: a push\n    given: { tool: shell, command: git push }\n    expect: { decision: ask }\n',
  )
  const given = { tool: 'shell', command: 'git push --force' }
  const expected = { decision: 'deny', rule: 'no-force' }
  const saved = await send('/api/cases', { name: 'a push', given, expect: expected })
  expect(saved).toMatchObject({ status: 201, body: { file, name: 'a push (2)' } })
  expect(readFileSync(file, 'utf8')).toContain('# Kept.')
  expect(readFileSync(file, 'utf8')).toContain(
    '  - name: a push (2)\n    given: { tool: shell, command: git push --force }\n    expect: { decision: deny, rule: no-force }\n',
  )
  expect((await send('/api/cases', { name: 'nothing', given, expect: { rum: 1 } })).status).toBe(400)
})

interface Replay {
  id: string
  state: string
  done: number
  of: number
  result: { replayed: number; counts: Record<string, number>; changes: { about: string; decision: number }[] } | null
}

const finished = async (id: string): Promise<Replay> =>
  vi.waitFor(
    async () => {
      const replay = await server.json<Replay>(`/api/replays/${id}`)
      expect(replay.state).not.toBe('running')
      return replay
    },
    { timeout: 60_000 },
  )

it('replays the journal against a candidate, and finds what it would decide otherwise than the config as it is', async () => {
  const { files } = await server.json<{ files: { file: string; text: string }[] }>(
    `/api/configs?project=${encodeURIComponent(project)}`,
  )
  expect(files[0]).toMatchObject({ file: join(project, 'hookline.yaml'), text: config })
  const candidate = {
    file: files[0]!.file,
    text: 'version: 1\nrules:\n  - id: no-publish\n    deny: { run: npm publish }\n',
  }
  const started = await send('/api/replays', { candidate })
  expect(started).toMatchObject({ status: 202, body: { state: 'running' } })
  const replay = await finished(String(started.body['id']))
  expect(replay).toMatchObject({ state: 'done', result: { replayed: 3, counts: { blocked: 1, allowed: 1 } } })
  expect(replay.result?.changes.map(({ about }) => about)).toEqual([
    expect.stringContaining('npm publish'),
    expect.stringContaining('git push --force'),
  ])
  expect(replay.result?.changes.every(({ decision }) => decision > 0)).toBe(true)
})

it('refuses a candidate that is none, and a file that is not of the project', async () => {
  const file = join(project, 'hookline.yaml')
  expect((await send('/api/replays', { candidate: { file, text: 'rules: 7' } })).status).toBe(422)
  expect((await send('/api/replays', { candidate: { file: '/etc/passwd', text: config } })).status).toBe(404)
  expect((await server.send('DELETE', '/api/replays/none')).status).toBe(404)
})

import { expect, it } from 'vitest'
import { texts } from '../../hookline/test/support/agent.ts'
import { stubProvider } from '../../hookline/test/support/providers.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { stages } from '../../hookline/test/support/stages.ts'
import { openModels, readTeam } from '../src/index.ts'
import { collect, never, userRequest } from './models/collect.ts'

const stage = stages()
const skill = (name: string, body: string, more = '') =>
  `---\nname: ${name}\ndescription: >\n  How to\n  ${name}\n${more}---\n${body}\n`
const project = () =>
  scratch({
    '.claude/skills/release/SKILL.md': skill('release', 'Tag first.'),
    '.claude/skills/release/notes.md': 'Keep them short.',
    'skills/review/SKILL.md': skill('review', 'Look at the tests.', 'context: fork\n'),
    'secret.txt': 'hunter2',
  })

it('skills are listed, read when they are needed, and never lead out of their folder', async () => {
  const read = (input: object) => ({ call: { tool: 'read_skill', input: { name: 'release', ...input } } })
  const one = await stage({
    cwd: project(),
    spec: { skills: true },
    turns: [read({}), read({ file: 'notes.md' }), read({ file: '../../../secret.txt' })],
  })
  await one.agent.prompt('go')
  const tool = one.requests[0]!.tools.find(({ name }) => name === 'read_skill')
  expect(tool?.description).toContain('- release: How to release')
  expect(texts(one.agent.messages, 'tool')).toEqual([
    'Tag first.\n',
    'Keep them short.',
    expect.stringContaining('outside of the skill'),
  ])
})

it('a skill that forks works in a conversation of its own, and raises the events of a sub-agent', async () => {
  const one = await stage({
    cwd: project(),
    spec: { skills: ['review'] },
    turns: [
      { call: { tool: 'run_skill', input: { name: 'review', task: 'Review it.' } } },
      { say: 'Fine.' },
      { say: 'Done.' },
    ],
  })
  await one.agent.prompt('go')
  expect(one.of('subagent_start')).toMatchObject([{ task: 'Review it.', parent_session_id: one.agent.sessionId }])
  expect(one.of('subagent_stop')).toMatchObject([{ response: 'Fine.' }])
  expect(one.requests[1]?.system).toContain('Look at the tests.')
  expect(texts(one.agent.messages, 'tool')).toEqual(['Fine.'])
})

it('an agent file says which skills and which answer; the provider gets the schema', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const root = {
    model: 'rehearsal',
    skills: true,
    structured_output: { name: 'place', schema },
  }
  const { team, notes, problems } = readTeam(
    { agents: { root } },
    { file: 'a.yaml', locate: () => ({ file: 'a.yaml' }) },
  )
  expect([notes, problems]).toEqual([[], []])
  expect(team?.agents['root']).toMatchObject({ skills: true, output: { name: 'place', schema } })
  const stub = await stubProvider('chat', () => ({ text: ['{"city":"Rome"}'] }))
  try {
    const models = { it: { provider: 'openai-compatible', model: 'm', baseURL: stub.url } }
    const model = await openModels({ team: { models }, env: {} })('it')
    await collect(model.stream({ ...userRequest('where?'), output: { name: 'place', schema } }, never))
    expect(stub.requests[0]?.body).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
    })
  } finally {
    await stub.close()
  }
})

it('an agent that answers in a shape has every call of its model answer so, and gives what it said', async () => {
  const output = { name: 'place', schema: { type: 'object', properties: { city: { type: 'string' } } } }
  const one = await stage({ spec: { output }, turns: [{ say: '{"city":"Rome"}' }] })
  expect(await one.agent.prompt('Where?')).toMatchObject({ reason: 'normal', response: '{"city":"Rome"}' })
  expect(one.requests).toMatchObject([{ output }])
})

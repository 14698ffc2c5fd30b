import { describe, expect, it } from 'vitest'
import { readTeam } from '../../src/team/index.ts'
import { capabilitiesOf, withoutCapabilities } from '../../src/trust/capabilities.ts'

const teamOf = (document: object) =>
  readTeam(document, { file: 'agent.yaml', locate: () => ({ file: 'agent.yaml' }) }).team!

const agents = (...toolsets: object[]) => ({ agents: { root: { model: 'rehearsal', toolsets } } })
const idsOf = (document: object) => capabilitiesOf(teamOf(document)).map(({ id }) => id)

describe('what an agent file does by itself', () => {
  it('toolsets whose every call needs approval need none themselves', () => {
    const plain = ['filesystem', 'file', 'shell', 'background_jobs', 'fetch', 'think', 'todo', 'memory', 'user_prompt']
    expect(idsOf(agents(...plain.map((type) => ({ type, tools: ['x'] }))))).toEqual([])
    expect(idsOf(agents({ type: 'filesystem', deny_list: ['x'] }, { type: 'memory', path: 'kept/memory.db' }))).toEqual(
      [],
    )
  })

  it.each([
    ['root/filesystem', { type: 'filesystem', allow_list: ['~'] }],
    ['root/shell/env', { type: 'shell', env: { BASH_ENV: 'x' } }],
    ['root/fetch', { type: 'fetch', headers: { Authorization: '$TOKEN' } }],
    ['root/memory', { type: 'memory', path: '../../elsewhere.json' }],
    ['root/mcp/far_example', { type: 'mcp', remote: { url: 'https://mcp.far.example.com/' } }],
    ['root/shell', { type: 'shell', an_option_of_next_year: true }],
  ])('%s does', (id, toolset) => {
    expect(idsOf(agents(toolset))).toEqual([id])
  })

  it.each([
    [{ type: 'fetch', headers: { A: 'b' } }, { allow_private_ips: true }],
    [{ type: 'filesystem', allow_list: ['~'] }, { deny_list: ['~/.ssh'] }],
  ])('%j loses its approval when an option is added later: %j', (toolset, later) => {
    const [before, after] = [toolset, { ...toolset, ...later }].map((each) => capabilitiesOf(teamOf(agents(each))))
    expect(after).toMatchObject([{ run: later }])
    expect(after![0]!.run).not.toEqual(before![0]!.run)
  })

  it('a model elsewhere does, one on this machine does not, one that no agent uses does not', () => {
    const model = (base_url: string) => ({ provider: 'openai', model: 'm', base_url })
    const models = {
      far: model('https://example.com/v1'),
      near: model('http://127.0.0.1:11434/v1'),
      sly: model('http://127.0.0.1.example.com/v1'),
      unknown: model('http://$' + '{HOST}/v1'),
      idle: model('https://example.org/v1'),
    }
    const agentsWithFallback = { root: { model: 'near', fallback: { models: ['far', 'sly', 'unknown'] } } }
    expect(idsOf({ agents: agentsWithFallback, models })).toEqual(['model/far', 'model/sly', 'model/unknown'])
  })

  it('what is left without them does nothing by itself, and all the rest', () => {
    const team = teamOf({
      ...agents(
        { type: 'shell', env: { A: 'b' } },
        { type: 'script', shell: { one: { cmd: 'a' }, two: { cmd: 'b' } } },
        { type: 'mcp', command: 'npx' },
      ),
      permissions: { allow: ['shell'], deny: ['fetch'] },
    })
    const capabilities = capabilitiesOf(team)
    const left = withoutCapabilities(team, capabilities)
    expect(capabilitiesOf(left)).toEqual([])
    expect(left.permissions).toEqual({ allow: [], ask: [], deny: ['fetch'] })
    expect(left.agents['root']!.toolsets).toEqual([{ type: 'shell' }, { type: 'script', shell: {} }])
    const half = withoutCapabilities(
      team,
      capabilities.filter(({ id }) => id === 'root/script/one'),
    )
    expect(capabilitiesOf(half).map(({ id }) => id)).toEqual(
      capabilities.map(({ id }) => id).filter((id) => id !== 'root/script/one'),
    )
  })

  it('the same server for two agents is approved once, and left out of both', () => {
    const server = { type: 'mcp', command: 'npx', args: ['demo-server'] }
    const team = teamOf({
      agents: { one: { model: 'rehearsal', toolsets: [server] }, two: { model: 'rehearsal', toolsets: [server] } },
    })
    const capabilities = capabilitiesOf(team)
    expect(capabilities.map(({ id }) => id)).toEqual(['one/mcp/demo'])
    expect(Object.values(withoutCapabilities(team, capabilities).agents).flatMap(({ toolsets }) => toolsets)).toEqual(
      [],
    )
  })
})

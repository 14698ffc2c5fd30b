import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandFor } from '../../src/cli/hosts/mcp-servers.ts'
import { type Host, loadHost, mcpPlaces } from '../../src/hosts/index.ts'
import { installMcp, type OurCommand, uninstallMcp } from '../../src/install/index.ts'
import fc from '../support/property.ts'
import { scratch } from '../support/scratch.ts'

const ours: OurCommand = ['/usr/bin/node', '/opt/hookline/bin/hookline.js']

async function placed(name: string, scope: 'user' | 'project', text: (key: string, inOne: boolean) => string) {
  const home = scratch()
  const ground = { home, project: home, env: {} }
  const host = (await loadHost(name)) as Host
  const place = mcpPlaces[name]!(scope, ground)[0]
  if (!place) return undefined
  const before = text(place.keys[0]!, place.inOne === true)
  mkdirSync(dirname(place.path), { recursive: true })
  writeFileSync(place.path, before)
  const now = () => readFileSync(place.path, 'utf8')
  return { host, ground, before, now, place }
}

const usual = (key: string, inOne: boolean) =>
  inOne
    ? `{\n  "${key}": {\n    "shop": { "type": "local", "command": [ "npx", "-y", "shop" ], "environment": { "KEY": "s3cret" } }\n  }\n}\n`
    : `{\n  "other": [1,  2],\n  "${key}": {\n    "shop": {\n      "command": "npx",\n      "args": [ "-y", "shop" ],\n      "env": { "KEY": "s3cret" }\n    },\n    "bare": { "command": "serve" },\n    "far": { "url": "https://mcp.example.com", "headers": { "Authorization": "Bearer s3cret" } }\n  }\n}\n`

describe.each(Object.keys(mcpPlaces))('the MCP servers of %s', (name) => {
  it.each(['user', 'project'] as const)(
    'go through the guard, twice the same, and back to the byte (%s)',
    async (scope) => {
      const file = await placed(name, scope, usual)
      if (!file) return
      const { host, ground, before, now, place } = file
      const done = installMcp(host, scope, ground, ours)
      expect(done.files[0]).toEqual({ path: place.path, did: 'wrote' })
      const { shop } = JSON.parse(now())[place.keys[0]!]
      const guard = [...ours, 'mcp', '--name=shop', '--', 'npx', '-y', 'shop']
      expect(place.inOne ? shop.command : [shop.command, ...shop.args]).toEqual(guard)
      expect(now().split('s3cret')).toHaveLength(before.split('s3cret').length)
      const once = now()
      expect(installMcp(host, scope, ground, ours).files[0]!.did).toBe('kept')
      expect(now()).toBe(once)
      expect(uninstallMcp(host, scope, ground).guarded).toEqual([])
      expect(now()).toBe(before)
    },
  )
})

it('what is reached by a URL stays as it is, and is listed', async () => {
  const { host, ground } = (await placed('claude', 'project', usual))!
  const { guarded, left } = installMcp(host, 'project', ground, ours)
  expect(guarded).toEqual(['shop', 'bare'])
  expect(left.map(({ name }) => name)).toEqual(['far'])
})

it.each(['vscode', 'opencode'])('%s takes comments and commas at the end, and so does the guard', async (name) => {
  const { host, ground, before, now } = (await placed(name, 'project', (key, inOne) => {
    const command = inOne ? '["npx", "shop",]' : '"npx", "args": ["shop",],'
    return `// mine\n{\n  "${key}": {\n    // keep\n    "shop": { "command": ${command} },\n  },\n}\r\n`
  }))!
  expect(installMcp(host, 'project', ground, ours).guarded).toEqual(['shop'])
  expect(now()).toContain('--name=shop')
  uninstallMcp(host, 'project', ground)
  expect(now()).toBe(before)
})

it('any list of words comes back to the byte', async () => {
  const blank = fc.constantFrom('', ' ', '\n  ', '\t')
  const word = fc.constantFrom('a', '--', 'mcp', '-y', 'hookline', 'ü "q"')
  const { host, ground, place } = (await placed('claude', 'project', usual))!
  fc.assert(
    fc.property(word, fc.option(fc.array(word, { maxLength: 4 })), blank, blank, (command, args, one, other) => {
      const list = args && `[${one}${args.map((each) => JSON.stringify(each)).join(`${other},${one}`)}${other}]`
      const before = `{"mcpServers":{"s":{${one}"command":${other}${JSON.stringify(command)}${list ? `,${one}"args":${other}${list}` : ''}${one}}}}`
      writeFileSync(place.path, before)
      installMcp(host, 'project', ground, ours)
      const once = readFileSync(place.path, 'utf8')
      installMcp(host, 'project', ground, ours)
      expect(readFileSync(place.path, 'utf8')).toBe(once)
      uninstallMcp(host, 'project', ground)
      expect(readFileSync(place.path, 'utf8')).toBe(before)
    }),
  )
})

it('an agent without such a file says so', async () => {
  const host = (await loadHost('codex')) as Host
  expect(() => installMcp(host, 'user', { home: join(scratch()), project: '/', env: {} }, ours)).toThrow(/by hand/)
})

it('the servers that Claude keeps for one project are guarded with those of the person, where CLAUDE_CONFIG_DIR says', async () => {
  const home = scratch()
  const ground = { home: '/nowhere', project: '/', env: { CLAUDE_CONFIG_DIR: home } }
  const host = (await loadHost('claude')) as Host
  const before =
    '{"mcpServers":{"a":{"command":"x"}},"projects":{"/p/*":{"mcpServers":{"b":{"command":"y","args":[]}}},"/q":{}}}'
  writeFileSync(join(home, '.claude.json'), before)
  expect(installMcp(host, 'user', ground, ours).guarded).toEqual(['a', 'b'])
  expect(uninstallMcp(host, 'user', ground).guarded).toEqual([])
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe(before)
})

it('opencode reads two files, and the servers of both are guarded', async () => {
  const project = scratch({
    'opencode.json': '{"mcp":{"a":{"command":["x"]}}}',
    'opencode.jsonc': '{ /* mine */ "mcp": { "b": { "command": ["y"] } } }',
  })
  const host = (await loadHost('opencode')) as Host
  expect(installMcp(host, 'project', { home: '/', project, env: {} }, ours).guarded).toEqual(['a', 'b'])
})

it('what npx starts counts as guarded', async () => {
  const project = scratch({ '.mcp.json': '{"mcpServers":{"a":{"command":"x"}}}' })
  const host = (await loadHost('claude')) as Host
  const ground = { home: '/', project, env: {} }
  expect(installMcp(host, 'project', ground, ['npx', '--no', 'hookline']).guarded).toEqual(['a'])
  expect(installMcp(host, 'project', ground, ours).files).toEqual([{ path: join(project, '.mcp.json'), did: 'kept' }])
})

it('a file of a project names what the project has installed; no file names a copy that npx keeps', () => {
  const manifest = '{}'
  const project = scratch({
    'node_modules/hookline/package.json': manifest,
    'node_modules/@hookline/mcp/package.json': manifest,
  })
  const ground = { home: '/', project, env: {} }
  expect(commandFor('project', ground)).toEqual(['npx', '--no', 'hookline'])
  const usualProgram = process.argv[1]!
  onTestFinished(() => {
    process.argv[1] = usualProgram
  })
  process.argv[1] = join(scratch({ '_npx/1/hookline.js': '' }), '_npx/1/hookline.js')
  expect(() => commandFor('user', ground)).toThrow(/npx keeps[\s\S]*npm install -g hookline @hookline\/mcp/)
})

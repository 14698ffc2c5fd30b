import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtins } from '../../src/builtins/index.ts'
import {
  applyRewrite,
  type Builtin,
  type BuiltinExample,
  type Deed,
  eventRow,
  type Opinion,
  validate,
} from '../../src/core/index.ts'
import { tracing } from '../support/trace.ts'
import { makeWorld, placed, play, type RealWorld } from '../support/world.ts'

let server: ReturnType<typeof createServer>
beforeAll(async () => {
  server = createServer((_request, response) => response.end('{}'))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
})
afterAll(() => void server.close())

/** Uses that the examples of the docs do not show, so that everything that is declared is seen to happen. */
const more: Record<string, (url: string) => Partial<BuiltinExample>[]> = {
  http_post: (url) => [{ event: 'stop', payload: {}, args: { url, allow_local: true } }],
  notify: (url) => [
    { event: 'stop', payload: {}, args: { message: 'Look here' } },
    { event: 'stop', payload: {}, args: { webhook: url, allow_local: true } },
  ],
  unload: (url) => [
    {
      event: 'on_agent_switch',
      payload: { from_agent: 'a', to_agent: 'b', from_agent_models: [{ provider: 'dmr', model: 'm', base_url: url }] },
    },
  ],
  verify_publish_claims: (url) =>
    [{ command: ['true'] }, { http: url, allow_local: true }].map((registry) => ({
      event: 'stop',
      payload: { response: 'Published! See https://pages.example.com/x', tool_names: [] },
      args: { registries: [registry] },
    })),
  tool_audit_log: () => [{ event: 'post_tool_use', payload: { tool_name: 'shell', tool_input: {} } }],
  limit_large_tool_results: () => [
    {
      event: 'tool_response_transform',
      payload: { tool_name: 'shell', tool_input: {}, tool_response: 'line\n'.repeat(3_000) },
    },
    { event: 'session_end', payload: {} },
  ],
  add_recent_commits: () => [{ given: { commits: ['first'] }, event: 'session_start', payload: {} }],
}

const casesOf = (builtin: Builtin): BuiltinExample[] => {
  const { port } = server.address() as AddressInfo
  const own = typeof builtin.canary === 'object' ? [builtin.canary] : []
  const added = more[builtin.name]?.(`http://127.0.0.1:${port}/`) ?? []
  return [...builtin.examples, ...own, ...(added as BuiltinExample[])]
}

function declared(builtin: Builtin, { args = {}, event }: BuiltinExample, world: RealWorld): readonly Deed[] {
  const given = placed(args, world)
  const named = Array.isArray(given) ? (builtin.fromList?.(given.map(String)) ?? given) : given
  const read = validate(builtin.args, named)
  if (!read.ok) return expect.fail(JSON.stringify(read.problems))
  return typeof builtin.does === 'function' ? builtin.does(read.value, event) : (builtin.does ?? [])
}

/** What it did in one case, seen from outside: calls to the machine, changed files, and what its answer holds. */
async function observed(builtin: Builtin, example: BuiltinExample, world: RealWorld): Promise<Set<Deed>> {
  const before = [contentOf(world.cwd), contentOf(world.home)]
  let opinion: Opinion | undefined
  const { runs, sends, writes } = await tracing(world.dataDir, async () => {
    opinion = await play(builtin, example, world).catch(() => undefined)
  })
  const changed = JSON.stringify([contentOf(world.cwd), contentOf(world.home)]) !== JSON.stringify(before)
  const found: [Deed, boolean][] = [
    ['runs', runs.length > 0],
    ['sends', sends.length > 0],
    ['writes', writes.length > 0 || changed],
    ['allows', opinion?.decision?.ruling === 'allow'],
    ['loosens', loosens(opinion, example, world)],
    ['addsContext', opinion?.context !== undefined],
    ['quotes', quotes(opinion, placed(example.args, world))],
  ]
  return new Set(found.flatMap(([deed, done]) => (done ? [deed] : [])))
}

function loosens(opinion: Opinion | undefined, { event, payload }: BuiltinExample, world: RealWorld): boolean {
  if (!opinion?.rewrite) return false
  const before = placed((payload as Record<string, unknown>)[eventRow(event).rewrites ?? ''], world)
  return !onlyRedacts(JSON.stringify(before), JSON.stringify(applyRewrite(before, opinion.rewrite)))
}

/** Between our markers stands nothing but what stood there, in the same order. */
const markers = /\[REDACTED[^\]]*\]|\[\w+ removed\]|Tool call result was too large .*?Showing the last .*?:\\n\\n/
function onlyRedacts(before: string, after: string): boolean {
  let at = 0
  return after.split(markers).every((piece) => {
    const found = before.indexOf(piece, at)
    at = found + piece.length
    return found !== -1
  })
}

function quotes(opinion: Opinion | undefined, args: unknown): boolean {
  const words = [opinion?.decision?.reason, opinion?.halt?.reason, ...(opinion?.context ?? [])].join('\n')
  return textsIn(args).some((text) => text.length >= 4 && words.includes(text))
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function contentOf(directory: string): unknown[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.git'))
    .sort()
    .map((name) => [name, statSync(join(directory, name)).isFile() ? readFileSync(join(directory, name), 'utf8') : ''])
}

describe.each(Object.values(builtins))('$name', (builtin) => {
  it('does what it declares, and nothing else', async () => {
    expect(builtin.does, 'it declares what it does').toBeDefined()
    const seen = new Set<Deed>()
    const said = new Set<Deed>()
    for (const example of casesOf(builtin)) {
      const world = makeWorld(example.given)
      try {
        const does = declared(builtin, example, world)
        const found = await observed(builtin, example, world)
        expect(does, `${example.title ?? JSON.stringify(example.args)}`).toEqual(expect.arrayContaining([...found]))
        for (const deed of found) seen.add(deed)
        for (const deed of does) said.add(deed)
      } finally {
        world.remove()
      }
    }
    expect([...seen].sort()).toEqual([...said].sort())
  })
})

import { describe, expect, it } from 'vitest'
import {
  backToTheirs,
  type Dialect,
  fromTheirs,
  type ToolCall,
  toOurs,
  toTheirs,
  type Verdict,
} from '../../src/core/index.ts'
import { dialectNames, loadDialect } from '../../src/dialects/index.ts'
import { convert, createHooks, type Hooks } from '../../src/hooks/index.ts'
import fc from '../support/property.ts'
import { scratch } from '../support/scratch.ts'
import {
  callIn,
  callOf,
  everyHost,
  guardConfigs,
  has,
  nameIn,
  programs,
  reply,
  samples,
} from '../support/vocabulary.ts'

const hosts = await everyHost()
const toolsOf = (dialect: Dialect) => Object.keys(samples).filter((tool) => has(dialect.tools!, tool))

/** Hooks of one system, on one tool under its own name there, that run what the test says. */
async function guard(dialect: Dialect, tool: string, answer: Parameters<typeof programs>[0]): Promise<Hooks> {
  const directory = scratch({ 'hooks.json': JSON.stringify(guardConfigs[dialect.name]!(nameIn(dialect, tool))) })
  return createHooks({
    config: `${directory}/hooks.json`,
    dialect: dialect.name,
    executors: programs(answer),
    journal: false,
  })
}

const raise = (hooks: Hooks, host: Dialect, { tool, input }: ToolCall): Promise<Verdict> =>
  hooks.raise('pre_tool_use', { tool_name: tool, tool_input: input }, { dialect: host })

describe.each(dialectNames)('a guard written for %s', (name) => {
  it('decides the same for the call of every host, whatever the tool is called there', async () => {
    const dialect = await loadDialect(name)
    for (const tool of toolsOf(dialect)) {
      const hooks = await guard(dialect, tool, (body) =>
        JSON.stringify(callOf(body).input).includes('evil')
          ? reply(2, '', 'no')
          : reply(0, name === 'everruns' ? '{}' : ''),
      )
      for (const host of hosts)
        for (const text of ['evil', 'good']) {
          const call = callIn(host, tool, text)
          if (!call) continue
          const { decision } = await raise(hooks, host, call)
          expect(decision?.ruling, `${tool} of ${host.name}: ${JSON.stringify(call)}`).toBe(
            text === 'evil' ? 'deny' : undefined,
          )
        }
      await hooks.close()
    }
  })

  it('gets the call in the words of its own system', async () => {
    const dialect = await loadDialect(name)
    for (const tool of toolsOf(dialect)) {
      const seen: ToolCall[] = []
      const hooks = await guard(dialect, tool, (body) => {
        seen.push(callOf(body))
        return reply(0, name === 'everruns' ? '{}' : '')
      })
      const ours = { tool, input: samples[tool]!('x') }
      await hooks.raise('pre_tool_use', { tool_name: tool, tool_input: ours.input })
      await hooks.close()
      expect(seen, tool).toEqual(toTheirs(dialect.tools!, ours))
    }
  })

  it('rewrites the call of every host in its own shape, or refuses it and says what to run', async () => {
    const dialect = await loadDialect(name)
    const hooks = await guard(dialect, 'shell', (body, call) => {
      const { input } = callOf(body)
      const [key] = Object.keys(input)
      const rewrite = { mode: 'replace', value: { ...input, [key!]: 'changed' } } as const
      const verdict = { event: 'pre_tool_use', payload: call.event.payload, reports: [], notes: [], rewrite } as Verdict
      return dialect.reply.encode(verdict).value
    })
    for (const host of hosts) {
      const call = callIn(host, 'shell', 'original')!
      const { decision, rewrite, payload } = await raise(hooks, host, call)
      const wanted = JSON.parse(JSON.stringify(call.input).replaceAll(/original|ls/g, 'changed'))
      if ((host.rewrites?.input ?? 'taken') === 'taken') {
        expect(rewrite, host.name).toEqual({ mode: 'replace', value: wanted })
        expect(payload['tool_input'], host.name).toEqual(wanted)
        expect(decision, host.name).toBeUndefined()
      } else {
        expect(rewrite, host.name).toBeUndefined()
        expect(decision, host.name).toMatchObject({ ruling: 'deny', reason: expect.stringContaining('changed') })
      }
    }
    await hooks.close()
  })
})

describe.each(hosts.map((host) => [host.name, host] as const))('calls of %s', (_name, dialect) => {
  const section = dialect.tools
  it('in our words and back are the same, with whatever keys', () => {
    const extra = fc.dictionary(
      fc.constantFrom('path', 'file_path', 'command', 'cmd', 'note', 'limit'),
      fc.jsonValue(),
      {
        maxKeys: 3,
      },
    )
    for (const tool of toolsOf(dialect))
      fc.assert(
        fc.property(extra, (more) => {
          const call = callIn(dialect, tool, 'x')
          if (!call) return
          const given = { ...call, input: { ...more, ...call.input } }
          expect(backToTheirs(section!, toOurs(section!, given), given)).toEqual(given)
        }),
        { numRuns: 50 },
      )
  })

  it('are our tool with our keys', () => {
    for (const tool of toolsOf(dialect)) {
      const call = callIn(dialect, tool, 'x')
      if (!call) continue
      const ours = toOurs(section!, call)
      expect(JSON.stringify(ours), tool).toContain('"x"')
    }
  })

  it('of a tool that nobody knows pass through untouched, whatever their input', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.dictionary(fc.string(), fc.jsonValue()), (name, input) => {
        const call = { tool: `x ${name}`.replaceAll('_', '-'), input }
        expect(toOurs(section!, call)).toEqual([call])
        expect(toTheirs(section!, call)).toEqual([call])
      }),
    )
  })

  it('never make a codec throw, whatever their input', () => {
    const names = Object.values(section!.calls).flatMap((tool) => [tool].flat().flatMap(({ names }) => names))
    const keys = fc.constantFrom(
      'path',
      'file_path',
      'edits',
      'commands',
      'files',
      'url',
      'urls',
      'command',
      'requests',
    )
    fc.assert(
      fc.property(fc.constantFrom('x', ...names), fc.dictionary(keys, fc.jsonValue()), (tool, input) => {
        const call = { tool, input }
        const ours = toOurs(section!, call)
        backToTheirs(section!, ours, call)
        for (const each of ours) toTheirs(section!, each)
        fromTheirs(section!, ours[0]!.tool, call)
      }),
    )
  })
})

describe.each(dialectNames)('a guard of %s, converted', (from) => {
  it.each(dialectNames)('for %s, runs for the same calls, or is refused', async (to) => {
    const [source, target] = await Promise.all([loadDialect(from), loadDialect(to)])
    const { value, refused } = await convert(from, to, guardConfigs[from]!(nameIn(source, 'shell')))
    if (refused.length > 0) return
    const directory = scratch({ 'hooks.json': JSON.stringify(value) })
    const hooks = await createHooks({
      config: `${directory}/hooks.json`,
      dialect: to,
      executors: programs(() => reply(0, to === 'everruns' ? '{}' : '')),
      journal: false,
    })
    const ran = async (tool: string) => {
      const { reports } = await hooks.raise('pre_tool_use', { tool_name: tool, tool_input: samples[tool]!('x') })
      return reports.some(({ asked }) => asked)
    }
    expect(await ran('shell')).toBe(true)
    // A guard of Starchild matches text, not names.
    expect(await ran('read_file')).toBe(from === 'starchild' || target.name === 'starchild')
    await hooks.close()
  })
})

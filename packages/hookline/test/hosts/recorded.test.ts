import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EventName, eventNamed, eventNames, eventRow } from '../../src/core/index.ts'
import { ourDialects } from '../../src/dialects/index.ts'
import { createHooks, type Hooks } from '../../src/hooks/index.ts'
import { dialectOfHost, triedHosts } from '../../src/hosts/index.ts'

/** Payloads as real agents sent them, in one run that wrote a file by a command, wrote one by a tool and read one. */
const folder = join(import.meta.dirname, 'recordings')
const recordings = readdirSync(folder).flatMap((file) => {
  const variant = file.replace('.jsonl', '')
  const host = triedHosts.find((name) => variant === name || variant.startsWith(`${name}-`))!
  const lines = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')
  return lines.map((line, at) => {
    const { event, payload } = JSON.parse(line) as { event: string; payload: Record<string, unknown> }
    return { variant, host, event, payload, at }
  })
})

const project = '/home/user/project'
const command = `echo hello > ${project}/made.txt && cat ${project}/made.txt`
const seen: { event: EventName; payload: Record<string, unknown> }[] = []
let hooks: Hooks
beforeAll(async () => {
  hooks = await createHooks({ journal: false })
  for (const event of eventNames)
    hooks.on(event, (raised: { payload: object }) => {
      seen.push({ event, payload: raised.payload as Record<string, unknown> })
    })
})
afterAll(() => hooks.close())

async function heard({ host, event, payload }: (typeof recordings)[number]) {
  seen.length = 0
  const dialect = await dialectOfHost(host, ourDialects)
  const named = eventNamed(dialect, event)
  await hooks.raiseAs(host, payload, named ? { event } : {})
  // Events of the same moment, which the host does not raise, have hooks too.
  const parts = seen.filter((each) => eventRow(each.event).within === undefined)
  return { event: named ?? parts[0]!.event, parts }
}

it('there are recordings of every agent that Hookline can be installed in', () => {
  expect([...new Set(recordings.map(({ host }) => host))].sort()).toEqual([...triedHosts].sort())
})

describe('a hook reads the same, whichever agent raises the event:', () => {
  it.each(recordings)('$variant $event ($at)', async (recording) => {
    const { event, parts } = await heard(recording)
    expect(parts.map((part) => part.event)).toEqual(parts.map(() => event))
    expect(parts.length).toBeGreaterThan(0)
    for (const { payload } of parts) {
      expect(payload['session_id']).toMatch(/./)
      if (event === 'user_prompt_submit') expect(String(payload['prompt'])).toMatch(/^"?Run the scripted test\."?$/)
      if (event === 'stop' && payload['response'] !== undefined) expect(payload['response']).toBe('done')
      if (event === 'pre_tool_use' || event === 'post_tool_use') expect(knownCall(payload)).toBe(true)
      if (
        event === 'post_tool_use' &&
        payload['tool_input'] &&
        JSON.stringify(payload['tool_input']).includes('hello') &&
        recording.host !== 'goose'
      )
        expect(JSON.stringify(payload['tool_response'])).toContain('hello')
    }
  })
})

/** One of the three calls of the run, in our words. */
function knownCall({ tool_name: tool, tool_input: input, cwd }: Record<string, unknown>): boolean {
  expect(cwd).toBe(project)
  const { command: run, path, content } = input as Record<string, unknown>
  if (tool === 'shell') return run === command
  if (tool === 'write_file') return path === `${project}/w.txt` && content === 'written'
  return tool === 'read_file' && path === `${project}/README.md`
}

describe('names of events are read both ways:', () => {
  it.each(triedHosts)('%s', async (host) => {
    const dialect = await dialectOfHost(host, ourDialects)
    for (const [ours, theirs] of Object.entries(dialect.events)) {
      expect(eventNamed(dialect, theirs)).toBe(ours)
      expect(eventNamed(dialect, ours)).toBe(ours)
    }
  })
})

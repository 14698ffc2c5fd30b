import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { eventNames } from '../src/core/index.ts'
import { createHooks, type Hooks } from '../src/hooks/index.ts'
import { loadHost } from '../src/hosts/index.ts'
import { hookline } from './support/cli.ts'
import { scratch } from './support/scratch.ts'

/** A payload as a host writes it, and what it is in our words; `none`: an event that hooks here know nothing of. */
interface Recorded {
  payload: Record<string, unknown>
  event: string
  ours?: Record<string, unknown>
}

const folder = join(import.meta.dirname, 'recorded')
const hosts = readdirSync(folder).map((file) => basename(file, '.yaml'))
const recordedOf = (host: string) => parse(readFileSync(join(folder, `${host}.yaml`), 'utf8')) as Recorded[]
const key = ['AKIA', 'QYLPMN5HHHFP', 'ZAM2'].join('')
/** Fields of results that the model sees, or that repeat what it sees; the result itself has no name. */
const shown = [
  '',
  'stdout',
  'content',
  'content_concise',
  'raw_output',
  'output_for_prompt',
  'llmContent',
  'new_string',
]
const marker = '[REDACTED:aws-access-key-id]'

async function asked(host: string, payload: Record<string, unknown>, add: (hooks: Hooks) => void, use: string[] = []) {
  const hooks = await createHooks({ journal: false, use })
  try {
    add(hooks)
    const verdict = await hooks.raiseAs(host, payload)
    return { verdict, reply: JSON.parse((await hooks.replyAs(host, verdict)).stdout || '{}') }
  } finally {
    await hooks.close()
  }
}

describe.each(hosts)('what %s hands to hooks', (host) => {
  const recorded = recordedOf(host)
  const known = recorded.filter(({ event }) => event !== 'none')
  const named = ({ payload }: Recorded) => `${payload['hook_event_name']} ${payload['tool_name'] ?? ''}`

  it.each(known.map((each) => [named(each), each] as const))('%s is read in our words', async (_, each) => {
    const seen: unknown[] = []
    const { verdict, reply } = await asked(host, each.payload, (hooks) => {
      for (const event of eventNames) hooks.on(event, (given: unknown) => void seen.push(given))
    })
    expect(verdict.event).toBe(each.event)
    expect(seen.at(-1)).toMatchObject({ payload: each.ours })
    expect(reply).toEqual({})
  })

  it.each(known.map((each) => [named(each), each] as const))('%s names each thing once', async (_, each) => {
    let fields: string[] = []
    await asked(host, each.payload, (hooks) => {
      hooks.on(each.event as 'stop', ({ payload }) => {
        fields = Object.keys(payload)
      })
    })
    expect(fields.filter((field) => /[A-Z]/.test(field))).toEqual([])
  })

  const calls = known.filter(({ event }) => event === 'pre_tool_use')
  it.each(calls.map((each) => [named(each), each] as const))('%s goes back as it came', async (_, { payload }) => {
    const { verdict } = await asked(host, payload, (hooks) => {
      hooks.on('pre_tool_use', ({ payload: given }) => ({
        decision: { ruling: 'allow', reason: '' },
        rewrite: { mode: 'replace', value: { ...given.tool_input } },
      }))
    })
    expect([verdict.payload['tool_name'], verdict.payload['tool_input']]).toEqual([
      payload['tool_name'],
      payload['tool_input'],
    ])
  })

  const results = known.filter(({ event }) => event === 'post_tool_use')
  it.each(results.map((each) => [named(each), each] as const))('of %s, the model sees no key', async (_, each) => {
    const withKey = (value: unknown) =>
      JSON.parse(JSON.stringify(value), (field, text) =>
        typeof text === 'string' && shown.includes(field) ? text.replace(/\bhi\b|# Title|\btext\b/, `A=${key}`) : text,
      )
    const result = withKey(each.payload['tool_response'])
    if (!JSON.stringify(result).includes(key)) return
    const { reply } = await asked(host, { ...each.payload, tool_response: result }, () => {}, ['secrets'])
    const taken = (await loadHost(host))?.rewrites.result ?? 'taken'
    if (taken === 'taken') {
      const { updatedToolOutput } = reply.hookSpecificOutput
      expect(updatedToolOutput).toEqual(JSON.parse(JSON.stringify(result).replaceAll(key, marker)))
    } else if (taken === 'as-reason') expect(reply).toEqual({ decision: 'block', reason: `A=${marker}\n` })
    else expect(reply).toMatchObject({ continue: false })
  })

  const foreign = recorded.filter(({ event }) => event === 'none')
  it.each(foreign.map((each) => [named(each), each] as const))('%s needs no answer', async (_, { payload }) => {
    const cwd = scratch({ 'hookline.json': JSON.stringify({ version: 1, rules: [{ deny: { run: 'x' } }] }) })
    const words = ['dispatch', '--dialect', host, '--config', 'hookline.json', '--reply']
    const { exit, stdout, stderr } = await hookline(words, JSON.stringify({ ...payload, cwd }), { cwd })
    expect([exit, stdout]).toEqual([0, ''])
    expect(stderr).toContain('has no counterpart here')
  })
})

describe('what cannot be read does not pass', () => {
  const file = { version: 1, hooks: [{ event: 'user_prompt_submit', run: { type: 'command', command: 'true' } }] }
  const dispatch = async (host: string, payload: object) => {
    const config = JSON.stringify({ ...file, rules: [{ deny: { run: 'x' } }] })
    const cwd = scratch({ 'hookline.json': config })
    const words = ['dispatch', '--dialect', host, '--config', 'hookline.json', '--reply', '--trust', 'all']
    const { exit, stdout } = await hookline(words, JSON.stringify({ cwd, ...payload }), { cwd })
    return { exit, ...JSON.parse(stdout) }
  }

  it.each(hosts)('a call of %s that was cut', async (host) => {
    const call = { hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: '{"content":"aaa[truncated]' }
    expect(await dispatch(host, call)).toMatchObject({
      exit: 0,
      hookSpecificOutput: {
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/cannot judge this.*tool_input/),
      },
    })
  })

  it.each(hosts)('a prompt of %s that is no text', async (host) => {
    const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 7 }
    expect(await dispatch(host, prompt)).toMatchObject({ exit: 0, decision: 'block' })
  })
})

describe('a changed prompt', () => {
  const prompt = (text: string) => ({ hook_event_name: 'UserPromptSubmit', prompt: text })
  const change = (value: string) => (hooks: Hooks) => {
    hooks.on('user_prompt_submit', () => ({ rewrite: { mode: 'replace', value } }))
  }

  it.each(['claude-code', 'codex', 'qwen', 'docker-agent'])('in %s: what was added is context', async (host) => {
    const payload =
      host === 'docker-agent' ? { hook_event_name: 'user_prompt_submit', prompt: 'Hello' } : prompt('Hello')
    const { verdict } = await asked(host, payload, change('[house style]\nHello\nBe brief.'))
    expect([verdict.context, verdict.decision, verdict.rewrite]).toEqual([
      ['[house style]', 'Be brief.'],
      undefined,
      undefined,
    ])
  })

  it.each(hosts)('in %s: any other change refuses it, and says what to send', async (host) => {
    const { reply } = await asked(host, prompt(`Use ${key}`), change('Use your key'))
    expect(reply).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('Send this instead: Use your key'),
    })
    expect(JSON.stringify(reply)).not.toContain(key)
  })

  it('in grok, which adds nothing to a prompt, an addition refuses it too', async () => {
    const { reply } = await asked('grok', prompt('Hello'), change('Hello. Be brief.'))
    expect(reply).toMatchObject({ decision: 'block', reason: expect.stringContaining('Hello. Be brief.') })
  })

  it('that is refused anyway is refused for that reason', async () => {
    const { reply } = await asked('claude-code', prompt('Hello'), (hooks) => {
      change('Bye')(hooks)
      hooks.on('user_prompt_submit', () => ({ decision: { ruling: 'deny', reason: 'Not today.' } }))
    })
    expect(reply).toEqual({ decision: 'block', reason: 'Not today.' })
  })
})

it.each([
  [undefined, 'deny'],
  ['allow', 'allow'],
] as const)(
  'new input in the answer to a request for permission goes beside an allow only: %s',
  async (ruling, wanted) => {
    const request = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'npm test' } }
    const { reply } = await asked('claude-code', request, (hooks) => {
      hooks.on('permission_request', () => ({
        rewrite: { mode: 'merge', value: { command: 'bun test' } },
        ...(ruling && { decision: { ruling, reason: '' } }),
      }))
    })
    const { behavior, updatedInput, message } = reply.hookSpecificOutput.decision
    expect(behavior).toBe(wanted)
    if (ruling) expect(updatedInput).toEqual({ command: 'bun test' })
    else expect(message).toContain('bun test')
  },
)

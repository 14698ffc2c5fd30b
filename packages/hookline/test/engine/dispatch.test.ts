import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { defineExecutor, type Event } from '../../src/core/index.ts'
import { dialectNames, loadDialect } from '../../src/dialects/index.ts'
import type { CodeHook, Hooks, HooksOptions } from '../../src/hooks/index.ts'
import { createHooks } from '../../src/hooks/index.ts'
import { type Script, scripted } from '../support/scripted.ts'

const open: Hooks[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((hooks) => hooks.close()))
})

async function hooksFor(options: HooksOptions): Promise<Hooks> {
  const hooks = await createHooks({ executors: [scripted], ...options })
  open.push(hooks)
  return hooks
}

const call = (command = 'ls') => ({ session_id: 's', tool_name: 'shell', tool_input: { command } })
const says = (reply: object | string, more: Partial<CodeHook> & Script = {}): CodeHook => {
  const { exit, stderr, delayMs, fails, ...rest } = more
  const stdout = typeof reply === 'string' ? reply : JSON.stringify(reply)
  const script = Object.fromEntries(
    Object.entries({ stdout, exit, stderr, delayMs, fails }).filter(([, value]) => value !== undefined),
  )
  return { event: 'pre_tool_use', run: { type: 'scripted', ...script }, ...rest } as CodeHook
}

describe('order', () => {
  it('folds in config order, whoever finishes first', async () => {
    const hooks = await hooksFor({
      hooks: [
        says({ context: 'one', decision: 'deny', reason: 'first' }, { delayMs: 60 }),
        says({ context: 'two', decision: 'deny', reason: 'second' }),
        says({ context: 'three', metadata: { k: 'later' } }, { delayMs: 20 }),
      ],
    })
    const verdict = await hooks.raise('pre_tool_use', call())
    expect(verdict.context).toEqual(['one', 'two', 'three'])
    expect(verdict.decision).toEqual({ ruling: 'deny', reason: 'first\nsecond' })
  })

  it('a later stage sees the rewrites of the one before', async () => {
    const hooks = await hooksFor({ hooks: [says({ updated_input: { command: 'pwd' } }, { stage: 1 })] })
    const seen: unknown[] = []
    hooks.on('pre_tool_use', { tool: 'shell' }, ({ payload }) => void seen.push(payload.tool_input), { stage: 2 })
    const verdict = await hooks.raise('pre_tool_use', { ...call(), tool_input: { command: 'ls', timeout: 5 } })
    expect(seen).toEqual([{ command: 'pwd', timeout: 5 }])
    expect(verdict.rewrite).toEqual({ mode: 'replace', value: { command: 'pwd', timeout: 5 } })
    expect(verdict.payload['tool_input']).toEqual({ command: 'pwd', timeout: 5 })
  })

  it('a denying stage ends it: later stages are skipped, and its own rewrites are not applied', async () => {
    const hooks = await hooksFor({
      hooks: [
        says({ updated_input: { timeout: 1 } }, { id: 'early', stage: 0 }),
        says({ decision: 'deny', reason: 'no' }, { id: 'guard', stage: 1 }),
        says({ updated_input: { command: 'pwd' } }, { id: 'beside', stage: 1 }),
        says({ context: 'never' }, { id: 'late', stage: 2 }),
      ],
    })
    const verdict = await hooks.raise('pre_tool_use', call())
    expect(verdict.decision?.ruling).toBe('deny')
    expect(verdict.rewrite?.value).toEqual({ command: 'ls', timeout: 1 })
    expect(verdict.context).toBeUndefined()
    expect(verdict.reports.map(({ hook, asked, skipped }) => [hook, asked, skipped?.reason])).toEqual([
      ['early', true, undefined],
      ['guard', true, undefined],
      ['beside', true, undefined],
      ['late', false, 'decided'],
    ])
  })
})

describe('guards judge the final input', () => {
  const guard = (hooks: Hooks) =>
    hooks.on('pre_tool_use', { tool: 'shell' }, ({ payload }) =>
      String(payload.tool_input['command']).startsWith('rm')
        ? { decision: { ruling: 'deny', reason: 'deletes' } }
        : { decision: { ruling: 'allow', reason: '' } },
    )

  it('a guard beside a rewriter runs again', async () => {
    const hooks = await hooksFor({ hooks: [says({ updated_input: { command: 'rm -rf /' } })] })
    guard(hooks)
    const verdict = await hooks.raise('pre_tool_use', call())
    expect(verdict.decision).toEqual({ ruling: 'deny', reason: 'deletes' })
    expect(verdict.reports[1]?.times).toBe(2)
  })

  it('a hook that runs again sees `rerun: true`, which is absent the first time and cannot be sent by a host', async () => {
    const hooks = await hooksFor({ hooks: [says({ updated_input: { command: 'pwd' } })] })
    const seen: unknown[] = []
    hooks.on('pre_tool_use', ({ payload }) => void seen.push([payload.tool_input['command'], payload.rerun]))
    const verdict = await hooks.raise('pre_tool_use', { ...call(), rerun: true })
    expect(seen).toEqual([
      ['ls', undefined],
      ['pwd', true],
    ])
    expect(verdict.payload).not.toHaveProperty('rerun')
  })

  it('only the payload of the native dialect has `rerun`', async () => {
    const bodies: [string, unknown][] = []
    const spying = defineExecutor({
      type: 'spying',
      doc: 'Looks at its own payload.',
      spec: scripted.spec,
      pins: () => [],
      run(_spec, execution) {
        bodies.push([execution.hook.dialect, (JSON.parse(execution.request().body) as { rerun?: unknown }).rerun])
        return { kind: 'wire', exit: 0, stdout: '', stderr: '' }
      },
    })
    const hooks = await hooksFor({
      executors: [scripted, spying],
      hooks: [says({ updated_input: { command: 'pwd' } }), { event: 'pre_tool_use', run: { type: 'spying' } }],
    })
    await hooks.raise('pre_tool_use', call())
    expect(bodies).toEqual([
      ['native', undefined],
      ['native', true],
    ])
    const payload = { ...call(), rerun: true }
    const event = { name: 'pre_tool_use', payload, depth: 0, synthetic: false } as Event
    for (const name of dialectNames.filter((each) => each !== 'native'))
      expect((await loadDialect(name)).event.encode(event, hooks.hooks[1]!).body, name).not.toContain('rerun')
  })

  it('what records, counts or sends does so once', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rerun-'))
    const file = join(directory, 'audit.jsonl')
    const hooks = await hooksFor({
      hooks: [
        says({ updated_input: { command: 'pwd' } }),
        { event: 'pre_tool_use', run: { type: 'builtin', name: 'tool_audit_log', args: { file } } },
        { event: 'pre_tool_use', run: { type: 'builtin', name: 'rate_limit', args: { limit: 1, seconds: 60 } } },
      ],
    })
    const verdict = await hooks.raise('pre_tool_use', call())
    expect(verdict.reports.map(({ times }) => times)).toEqual([undefined, 2, 2])
    expect(verdict.decision).toBeUndefined()
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1)
    rmSync(directory, { recursive: true })
  })

  it('a guard whose matcher only matches the rewritten input runs', async () => {
    const matcher = { args: { path: '$.command', matches: '^rm ' } }
    const hooks = await hooksFor({
      hooks: [
        says({ decision: 'deny', reason: 'deletes' }, { matcher }),
        says({ updated_input: { command: 'rm -rf /' } }),
      ],
    })
    expect((await hooks.raise('pre_tool_use', call('ls'))).decision?.ruling).toBe('deny')
  })

  it('an allow counts only for the input that the hook saw', async () => {
    const hooks = await hooksFor({ hooks: [says({ updated_input: { command: 'make' } })] })
    hooks.on('pre_tool_use', ({ payload }) =>
      payload.tool_input['command'] === 'ls' ? { decision: { ruling: 'allow', reason: '' } } : undefined,
    )
    expect((await hooks.raise('pre_tool_use', call('ls'))).decision).toBeUndefined()
  })

  it('hooks that rewrite each other for ever are refused', async () => {
    const hooks = await hooksFor({})
    hooks.on('pre_tool_use', ({ payload }) => ({
      rewrite: { mode: 'merge', value: { n: Number(payload.tool_input['n'] ?? 0) + 1 } },
    }))
    hooks.on('pre_tool_use', ({ payload }) => ({
      rewrite: { mode: 'merge', value: { m: Number(payload.tool_input['n'] ?? 0) + 1 } },
    }))
    const verdict = await hooks.raise('pre_tool_use', call())
    expect(verdict.decision?.ruling).toBe('deny')
    expect(verdict.notes.map((note) => note.code)).toContain('rewrite-loop')
  })

  it('a rewrite that changes nothing disturbs nobody', async () => {
    const hooks = await hooksFor({ hooks: [says({ updated_input: { command: 'ls' } }), says({ context: 'once' })] })
    const verdict = await hooks.raise('pre_tool_use', call('ls'))
    expect(verdict.rewrite).toBeUndefined()
    expect(verdict.context).toEqual(['once'])
  })
})

describe('honouring', () => {
  it('an effect the event does not honour is dropped with a note', async () => {
    const hooks = await hooksFor({
      hooks: [says({ decision: 'deny', reason: 'no', message: 'kept' }, { event: 'session_end' })],
    })
    const verdict = await hooks.raise('session_end', { session_id: 's' })
    expect(verdict.decision).toBeUndefined()
    expect(verdict.message).toEqual(['kept'])
    expect(verdict.notes.map((note) => note.code)).toEqual(['effect-not-honoured'])
  })

  it('where no user can be prompted, ask denies', async () => {
    const hooks = await hooksFor({
      hooks: [says({ decision: 'ask', reason: 'sure?' }, { event: 'user_prompt_submit' })],
    })
    const verdict = await hooks.raise('user_prompt_submit', { prompt: 'hi' })
    expect(verdict.decision).toEqual({ ruling: 'deny', reason: 'sure?' })
    expect(verdict.notes.map((note) => note.code)).toEqual(['ask-becomes-deny'])
  })

  it('a rewrite that does not fit the field is a failure, and the guard closes', async () => {
    const hooks = await hooksFor({ hooks: [says({ replace: 7 }, { event: 'user_prompt_submit' })] })
    const verdict = await hooks.raise('user_prompt_submit', { prompt: 'hi' })
    expect(verdict.reports[0]?.failure?.kind).toBe('invalid-output')
    expect(verdict.decision?.ruling).toBe('deny')
  })
})

describe('shadow', () => {
  it('runs identically, and only reports what it would have done', async () => {
    const hooks = await hooksFor({
      hooks: [says({ decision: 'deny', reason: 'no', updated_input: { a: 1 } }, { mode: 'shadow' })],
    })
    const verdict = await hooks.raise('pre_tool_use', call())
    expect(verdict.decision).toBeUndefined()
    expect(verdict.rewrite).toBeUndefined()
    expect(verdict.reports[0]).toMatchObject({
      shadow: true,
      outcome: 'deny',
      opinion: { decision: { ruling: 'deny' } },
    })
    expect(verdict.notes.map((note) => note.code)).toEqual(['shadow-would'])
  })

  it('does not count when it fails either', async () => {
    const hooks = await hooksFor({ hooks: [says({}, { mode: 'shadow', fails: 'signal' })] })
    const verdict = await hooks.raise('pre_tool_use', call())
    expect(verdict.decision).toBeUndefined()
    expect(verdict.reports[0]?.failure?.kind).toBe('signal')
  })
})

describe('background', () => {
  it('never delays, and is awaited on close', async () => {
    let done = false
    const hooks = await hooksFor({})
    hooks.on(
      'post_tool_use',
      {},
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 150))
        done = true
        return undefined
      },
      { background: true },
    )
    const verdict = await hooks.raise('post_tool_use', call())
    expect(done).toBe(false)
    expect(verdict.reports[0]).toMatchObject({ asked: true, background: true })
    await hooks.close()
    expect(done).toBe(true)
  })

  it('its failure is reported afterwards', async () => {
    const codes: string[] = []
    const hooks = await hooksFor({
      onNote: (note) => codes.push(note.code),
      hooks: [says({}, { background: true, fails: 'exit' })],
    })
    expect((await hooks.raise('pre_tool_use', call())).decision).toBeUndefined()
    await hooks.close()
    expect(codes).toEqual(['background-failed'])
  })

  it('close waits only so long', async () => {
    const codes: string[] = []
    const hooks = await hooksFor({ onNote: (note) => codes.push(note.code) })
    hooks.on('post_tool_use', {}, () => new Promise(() => {}), { background: true })
    await hooks.raise('post_tool_use', call())
    await hooks.close({ drainMs: 50 })
    expect(codes).toContain('background-abandoned')
  })
})

describe('redo', () => {
  it('a hook can send the agent back three times in a row, then the agent may stop', async () => {
    const hooks = await hooksFor({ hooks: [says({ decision: 'deny', reason: 'again' }, { event: 'stop' })] })
    const rulings = []
    for (let round = 0; round < 5; round++)
      rulings.push((await hooks.raise('stop', { session_id: 's' })).decision?.ruling)
    expect(rulings).toEqual(['deny', 'deny', 'deny', undefined, 'deny'])
    expect((await hooks.raise('stop', { session_id: 'other' })).decision?.ruling).toBe('deny')
  })

  it('the payload shows that the agent is already working on a redo', async () => {
    const hooks = await hooksFor({})
    const flags: unknown[] = []
    hooks.on('stop', ({ payload }) => {
      flags.push(payload.stop_hook_active)
      return payload.stop_hook_active ? undefined : { decision: { ruling: 'deny', reason: 'check it' } }
    })
    await hooks.raise('stop', { session_id: 's' })
    await hooks.raise('stop', { session_id: 's' })
    expect(flags).toEqual([false, true])
  })

  it('a host that starts a new turn starts the count anew', async () => {
    const hooks = await hooksFor({ hooks: [says({ decision: 'deny', reason: 'again' }, { event: 'stop' })] })
    for (let round = 0; round < 6; round++)
      expect((await hooks.raise('stop', { session_id: 's', stop_hook_active: false })).decision?.ruling).toBe('deny')
  })
})

describe('recursion', () => {
  it('hooks that raise events are bounded, and a guarded event is refused', async () => {
    const hooks = await hooksFor({})
    let runs = 0
    let deepest: string | undefined
    hooks.on('pre_tool_use', async () => {
      runs++
      const inner = await hooks.raise('pre_tool_use', call())
      deepest ??= inner.notes.find((note) => note.code === 'recursion-limit')?.code
      return inner.decision ? { decision: inner.decision } : undefined
    })
    const verdict = await hooks.raise('pre_tool_use', call())
    expect(runs).toBe(5)
    expect(deepest).toBe('recursion-limit')
    expect(verdict.decision?.ruling).toBe('deny')
  })
})

describe('cancellation', () => {
  it('aborted before the start, nothing runs and a guarded event is refused', async () => {
    const hooks = await hooksFor({})
    let ran = false
    hooks.on('pre_tool_use', () => {
      ran = true
    })
    const verdict = await hooks.raise('pre_tool_use', call(), { signal: AbortSignal.abort() })
    expect(ran).toBe(false)
    expect(verdict.reports[0]?.skipped?.reason).toBe('cancelled')
    expect(verdict.decision?.ruling).toBe('deny')
  })

  it('aborted in the middle, the hook fails as aborted, not as a time-out', async () => {
    const hooks = await hooksFor({ hooks: [says({}, { delayMs: 10_000 })] })
    const verdict = await hooks.raise('pre_tool_use', call(), { signal: AbortSignal.timeout(30) })
    expect(verdict.reports[0]?.failure?.kind).toBe('aborted')
    expect(verdict.decision?.ruling).toBe('deny')
  })
})

describe('dedupe', () => {
  it('hooks that differ only in their names run once', async () => {
    const hooks = await hooksFor({
      hooks: [
        says({ context: 'a' }, { id: 'one' }),
        says({ context: 'a' }, { id: 'two', description: 'same' }),
        says({ context: 'a' }, { id: 'three', timeout: 7 }),
      ],
    })
    const verdict = await hooks.raise('pre_tool_use', call())
    expect(verdict.reports.map(({ hook, skipped }) => [hook, skipped?.reason])).toEqual([
      ['one', undefined],
      ['two', 'duplicate'],
      ['three', undefined],
    ])
  })

  it('two functions are never identical', async () => {
    const hooks = await hooksFor({})
    hooks.on('pre_tool_use', () => ({ context: ['a'] }))
    hooks.on('pre_tool_use', () => ({ context: ['b'] }))
    expect((await hooks.raise('pre_tool_use', call())).context).toEqual(['a', 'b'])
  })
})

describe('the door', () => {
  it('a payload that does not fit is refused with a reason', async () => {
    const hooks = await hooksFor({ hooks: [says({})] })
    await expect(hooks.raise('pre_tool_use', { tool_name: 'shell' } as never)).rejects.toThrow(
      /payload of pre_tool_use.*tool_input/,
    )
  })

  it('an unknown event is refused with a suggestion', async () => {
    const hooks = await hooksFor({})
    await expect(hooks.raise('pre_tool_usee' as never, {} as never)).rejects.toThrow(/Did you mean `pre_tool_use`/)
  })

  it('hooks cannot change the payload for the host or each other', async () => {
    const hooks = await hooksFor({})
    hooks.on('pre_tool_use', ({ payload }) => {
      ;(payload.tool_input as Record<string, unknown>)['command'] = 'rm'
    })
    const payload = call()
    const verdict = await hooks.raise('pre_tool_use', payload)
    expect(payload.tool_input.command).toBe('ls')
    expect(verdict.reports[0]?.failure?.kind).toBe('internal')
  })

  it('a removed function does not run, and each change is a generation', async () => {
    const hooks = await hooksFor({})
    const before = hooks.generation
    const remove = hooks.on('pre_tool_use', () => ({ context: ['here'] }))
    remove()
    expect((await hooks.raise('pre_tool_use', call())).context).toBeUndefined()
    expect(hooks.generation).toBe(before + 2)
  })

  it('a dispatch sees one generation, whatever is added meanwhile', async () => {
    const hooks = await hooksFor({ hooks: [says({ context: 'old' }, { delayMs: 50 })] })
    const raised = hooks.raise('pre_tool_use', call())
    hooks.on('pre_tool_use', () => ({ context: ['new'] }))
    expect((await raised).context).toEqual(['old'])
  })

  it('untrusted hooks do not run, and a guarded event is refused with what to do', async () => {
    const hooks = await hooksFor({
      hooks: [says({ context: 'ran' })],
      trust: () => ({ trusted: false, detail: 'not approved', remedy: 'Approve it.' }),
    })
    const verdict = await hooks.raise('pre_tool_use', call())
    expect(verdict.context).toBeUndefined()
    expect(verdict.decision?.ruling).toBe('deny')
    expect(verdict.notes[0]).toMatchObject({ code: 'hook-failed', remedy: 'Approve it.' })
  })

  it('closed hooks refuse with a clear error', async () => {
    const hooks = await hooksFor({})
    await hooks.close()
    await expect(hooks.raise('session_end', {})).rejects.toThrow(/closed/)
  })
})

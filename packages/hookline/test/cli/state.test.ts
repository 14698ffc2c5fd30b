import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { memoryState, type StateStore } from '../../src/core/index.ts'
import { fileState } from '../../src/executors/index.ts'
import { hooklineByTurns as hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const dayMs = 24 * 60 * 60 * 1_000

/** A project of its own with these hooks, the state of a person of its own, and `dispatch` as a host calls it. */
function project(...hooks: Record<string, unknown>[]) {
  const directory = scratch({ 'hookline.json': JSON.stringify({ version: 1, hooks }) })
  const home = scratch()
  const args = ['dispatch', '--config', 'hookline.json', '--trust', 'all', '--no-journal']
  async function dispatch(payload: Record<string, unknown>) {
    const { stdout, stderr } = await hookline(args, JSON.stringify(payload), {
      cwd: directory,
      env: { XDG_STATE_HOME: home },
    })
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout) as {
      decision: { ruling: string; reason: string } | null
      halt: { reason: string } | null
      notes: { code: string; message: string }[]
      reports: { failure?: string; detail?: string }[]
    }
  }
  const ruling = async (payload: Record<string, unknown>) => (await dispatch(payload)).decision?.ruling ?? 'none'
  return { directory, sessions: join(home, 'hookline', 'sessions'), dispatch, ruling }
}

const limiter = (limit: number) => ({
  id: 'limit',
  event: 'pre_tool_use',
  run: { type: 'builtin', name: 'rate_limit', args: { limit, seconds: 3_600 } },
})
const call = (session?: string) => ({
  event: 'pre_tool_use',
  tool_name: 'shell',
  tool_input: {},
  ...(session && { session_id: session }),
})

const times = async <T>(count: number, work: () => Promise<T>): Promise<T[]> => {
  const found: T[] = []
  for (let at = 0; at < count; at++) found.push(await work())
  return found
}

describe('what hooks count survives the process', () => {
  it('a limit of two lets two of five processes pass, and sessions count apart', async () => {
    const { ruling } = project(limiter(2))
    expect(await times(5, () => ruling(call('one')))).toEqual(['none', 'none', 'deny', 'deny', 'deny'])
    expect(await ruling(call('two'))).toBe('none')
  })

  it('ten processes at once count to exactly ten', async () => {
    const { ruling, sessions } = project(limiter(9))
    const rulings = await Promise.all(Array.from({ length: 10 }, () => ruling(call('one'))))
    expect(rulings.filter((each) => each === 'deny')).toHaveLength(1)
    expect(await ruling(call('one'))).toBe('deny')
    expect(readdirSync(sessions).filter((name) => name.endsWith('.lock'))).toEqual([])
  })

  it('events without a session count by directory', async () => {
    const { ruling, directory } = project(limiter(1))
    expect(await times(2, () => ruling(call()))).toEqual(['none', 'deny'])
    expect(await ruling({ ...call(), cwd: dirname(directory) })).toBe('none')
  })

  it('a model that was called once too often, and a budget that is spent, stay so', async () => {
    const most = project({
      id: 'most',
      event: 'before_llm_call',
      run: { type: 'builtin', name: 'max_iterations', args: { limit: 1 } },
    })
    expect(await times(2, () => most.ruling({ event: 'before_llm_call', session_id: 's' }))).toEqual(['none', 'deny'])
    const budget = project({
      id: 'budget',
      event: 'after_llm_call',
      run: { type: 'builtin', name: 'budget_alert', args: { stop_usd: 2 } },
    })
    const halts = await times(2, () => budget.dispatch({ event: 'after_llm_call', session_id: 's', cost: 1.5 }))
    expect(halts.map(({ halt }) => halt !== null)).toEqual([false, true])
  })

  it('the agent is sent back three times by as many processes, then it may stop, and the count begins anew', async () => {
    const { dispatch, sessions } = project({ id: 'again', event: 'stop', run: 'echo again >&2; exit 2' })
    const verdicts = await times(5, () => dispatch({ event: 'stop', session_id: 's' }))
    expect(verdicts.map(({ decision }) => decision?.ruling)).toEqual(['deny', 'deny', 'deny', undefined, 'deny'])
    expect(verdicts[3]?.notes.map(({ code }) => code)).toContain('redo-cap')
    expect(readdirSync(sessions)).toContain('s.json')
  })

  it('two limits in one session count apart: none forgets or hides what the other has counted', async () => {
    const burst = { ...limiter(100), id: 'burst' }
    burst.run = { ...burst.run, args: { limit: 100, seconds: 1 } }
    const { ruling } = project(burst, limiter(2))
    let id = 0
    const named = () => ruling({ ...call('named'), tool_use_id: `call-${id++}` })
    expect(await times(3, named)).toEqual(['none', 'none', 'deny'])
    const later = async () => {
      const found = await ruling(call('unnamed'))
      await setTimeout(1_001)
      return found
    }
    expect(await times(3, later)).toEqual(['none', 'none', 'deny'])
  })

  it('files that one test command passes are still tested by another', async () => {
    const tests = (id: string, command: string[]) => ({
      id,
      event: 'stop',
      run: { type: 'builtin', name: 'require_tests_on_stop', args: { command } },
    })
    const { directory, ruling } = project(tests('lint', ['true']), tests('unit', ['false']))
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd: directory })
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'first')
    expect(await times(2, () => ruling({ event: 'stop', session_id: 'one' }))).toEqual(['deny', 'deny'])
  })

  it('a session that starts again has not tested what changed since it began', async () => {
    const run = { type: 'builtin', name: 'require_tests_on_stop', args: { command: ['false'] } }
    const { directory, ruling } = project(
      { id: 'begin', event: 'session_start', run },
      { id: 'unit', event: 'stop', run },
    )
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd: directory })
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'first')
    const begin = { event: 'session_start', session_id: 'one' }
    const stop = { event: 'stop', session_id: 'one' }
    await ruling({ ...begin, source: 'startup' })
    expect(await ruling(stop)).toBe('none')
    writeFileSync(join(directory, 'new.txt'), 'new')
    await ruling({ ...begin, source: 'resume' })
    expect(await ruling(stop)).toBe('deny')
  })

  it('an event that nothing counts leaves nothing behind', async () => {
    const { dispatch, sessions } = project({ id: 'fine', event: 'stop', run: 'true' })
    await dispatch({ event: 'stop', session_id: 's' })
    expect(statSync(sessions, { throwIfNoEntry: false })).toBeUndefined()
  })
})

describe('state that cannot be kept', () => {
  /** A file where the directory should be: nobody can write there, not even root. */
  function broken(hook: Record<string, unknown>) {
    const made = project(hook)
    mkdirSync(dirname(made.sessions), { recursive: true })
    writeFileSync(made.sessions, '')
    return made
  }

  it('a limiter that cannot count refuses, and says why', async () => {
    const { decision, reports } = await broken(limiter(2)).dispatch(call('one'))
    expect(decision?.ruling).toBe('deny')
    expect(reports[0]).toMatchObject({ failure: 'internal', detail: expect.stringContaining('cannot be kept') })
  })

  it('a hook that sends the agent back does so with a note, until the host says that it has', async () => {
    const { dispatch } = broken({ id: 'again', event: 'stop', run: 'echo again >&2; exit 2' })
    const first = await dispatch({ event: 'stop', session_id: 's' })
    expect(first.decision?.ruling).toBe('deny')
    expect(first.notes.map(({ code }) => code)).toContain('state-unavailable')
    const second = await dispatch({ event: 'stop', session_id: 's', stop_hook_active: true })
    expect(second.decision).toBeNull()
    expect(second.notes.map(({ code }) => code)).toContain('state-unavailable')
  })

  it('a file that holds something else is not taken for a fresh start', async () => {
    const { dispatch, sessions } = project(limiter(2))
    mkdirSync(sessions, { recursive: true })
    for (const text of ['{"half": ', '[]', 'null', '5', '{"name":"other"}']) {
      writeFileSync(join(sessions, 'one.json'), text)
      expect((await dispatch(call('one'))).decision?.ruling).toBe('deny')
      expect(readFileSync(join(sessions, 'one.json'), 'utf8')).toBe(text)
    }
  })
})

const counted = (count: unknown) => Number(count ?? 0) + 1
const at = (session: string, key = 'k') => ({ session, scope: 'test', key })

describe('files of state', () => {
  it('are for the user alone, and named so that a session can lead nowhere else', async () => {
    const directory = join(scratch(), 'deep', 'sessions')
    const state = fileState(directory)
    for (const session of ['plain-1', '../../escape', 'A', 'a', 'é/ü', '.', '__proto__']) {
      await state.update(at(session, '__proto__'), () => session)
      expect(await fileState(directory).read(at(session, '__proto__'))).toBe(session)
    }
    const files = readdirSync(directory).filter((name) => name.endsWith('.json'))
    expect(files).toHaveLength(7)
    expect(files).toContain('plain-1.json')
    for (const file of files) expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
  })

  it('of sessions that nothing changed for a week are removed when another begins, once a day', async () => {
    const directory = scratch()
    const state = fileState(directory)
    const age = (name: string, days: number) => {
      const then = new Date(Date.now() - days * dayMs)
      utimesSync(join(directory, name), then, then)
    }
    for (const session of ['old', 'recent', 'older']) await state.update(at(session), counted)
    age('old.json', 8)
    age('recent.json', 6)
    expect(await state.read(at('old'))).toBeUndefined()
    expect(await state.read(at('recent'))).toBe(1)
    await state.update(at('new'), counted)
    expect(readdirSync(directory)).toContain('old.json')
    age('.collected', 2)
    await state.update(at('newer'), counted)
    expect(readdirSync(directory).sort()).toEqual(['.collected', 'new.json', 'newer.json', 'older.json', 'recent.json'])
  })

  it('share a directory with others: what somebody else keeps there is never removed', async () => {
    const directory = scratch({ 'package.json': '{"name":"other"}', 'src/main.ts': '', 'notes.txt': '' })
    const then = new Date(Date.now() - 8 * dayMs)
    for (const name of ['package.json', 'src/main.ts', 'src', 'notes.txt'])
      utimesSync(join(directory, name), then, then)
    await fileState(directory).update(at('new'), counted)
    expect(readdirSync(directory).sort()).toEqual(['.collected', 'new.json', 'notes.txt', 'package.json', 'src'])
  })

  it('that a killed process left behind are removed with those of its session', async () => {
    const directory = scratch()
    const aside = `old.json.${randomUUID()}`
    writeFileSync(join(directory, aside), '{')
    symlinkSync('1 elsewhere - abc', join(directory, 'old.json.lock'))
    const then = new Date(Date.now() - 8 * dayMs)
    utimesSync(join(directory, aside), then, then)
    lutimesSync(join(directory, 'old.json.lock'), then, then)
    await fileState(directory).update(at('new'), counted)
    expect(readdirSync(directory).sort()).toEqual(['.collected', 'new.json'])
  })

  it('a value that stays as it is writes nothing, and the last one removed leaves no file', async () => {
    const directory = scratch()
    const state = fileState(directory)
    const file = join(directory, 's.json')
    await state.update(at('s'), () => ({ count: 1 }))
    const { ino } = statSync(file)
    await state.update(at('s'), (value) => value)
    expect(statSync(file).ino).toBe(ino)
    expect(readFileSync(file, 'utf8')).toContain('"count":1')
    await state.update(at('s'), () => undefined)
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined()
  })
})

describe.each<[string, () => StateStore]>([
  ['memory', memoryState],
  ['files', () => fileState(scratch())],
])('every store keeps the same promises (%s)', (_name, make) => {
  it('what was written last under a session, scope and key is what is read there, and nowhere else', async () => {
    const word = fc.constantFrom('a', 'b', '')
    const change = fc.record({
      place: fc.record({ session: word, scope: word, key: word }),
      value: fc.option(fc.jsonValue(), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const state = make()
        const expected = new Map<string, unknown>()
        for (const { place, value } of changes) {
          await state.update(place, () => value)
          expected.set(JSON.stringify(place), value)
        }
        for (const { place } of changes)
          expect(JSON.stringify(await state.read(place))).toBe(JSON.stringify(expected.get(JSON.stringify(place))))
      }),
      { numRuns: 30 },
    )
  })

  it('a session that was quiet for longer than it may be begins anew', async () => {
    const state = make()
    const place = { ...at('s'), quietMs: 60_000 }
    await state.update(place, counted)
    expect(await state.update(place, counted)).toBe(2)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    try {
      expect(await state.read(place)).toBeUndefined()
      expect(await state.update(place, counted)).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })
})

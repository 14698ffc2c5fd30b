import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import type { Note } from '../src/core/index.ts'
import { defineExecutor } from '../src/core/index.ts'
import { createHooks, type HooksOptions } from '../src/hooks/index.ts'
import { isAlive } from '../src/platform/index.ts'
import { openTrust } from '../src/trust/index.ts'
import { scratch } from './support/scratch.ts'

const entry = (id: string, more = '') =>
  `  - { id: ${id}, event: pre_tool_use, run: 'echo ${id} >&2; exit 2'${more} }\n`
const config = (...ids: string[]) => `version: 1\nhooks:\n${ids.map((id) => entry(id)).join('') || '  []\n'}`
const call = { session_id: 's', tool_name: 'shell', tool_input: { command: 'ls' } }

async function watched(first: string, options: HooksOptions = {}) {
  const directory = scratch({ 'hookline.yaml': first })
  const file = join(directory, 'hookline.yaml')
  const notes: Note[] = []
  const hooks = await createHooks({ config: file, watch: true, onNote: (note) => notes.push(note), ...options })
  onTestFinished(() => hooks.close())
  const noted = (code: string) => expect.poll(() => notes.map((note) => note.code)).toContain(code)
  const reason = async () => (await hooks.raise('pre_tool_use', call)).decision?.reason
  return { directory, file, hooks, notes, noted, reason }
}

describe('reload()', () => {
  it('takes what is written now, as the next generation', async () => {
    const { file, hooks, reason } = await watched(config('one'), { watch: false })
    writeFileSync(file, config('two'))
    expect([hooks.generation, await reason()]).toEqual([1, 'one'])
    await hooks.reload()
    expect([hooks.generation, await reason()]).toEqual([2, 'two'])
  })

  it('rejects when anything is wrong, and what was there stays', async () => {
    const { file, hooks, reason } = await watched(config('one'), { watch: false })
    writeFileSync(file, 'version: 1\nhoks: []\n')
    await expect(hooks.reload()).rejects.toThrow(/hoks/)
    expect([hooks.generation, await reason()]).toEqual([1, 'one'])
  })

  it('keeps functions that were added, and those in code', async () => {
    const { hooks } = await watched(config(), {
      watch: false,
      hooks: [{ id: 'code', event: 'stop', run: () => undefined }],
    })
    const remove = hooks.on('pre_tool_use', () => ({ decision: { ruling: 'deny', reason: 'added' } }))
    await hooks.reload()
    expect((await hooks.raise('pre_tool_use', call)).decision?.reason).toBe('added')
    expect(hooks.hooks.map(({ id }) => id)).toContain('code')
    remove()
    expect((await hooks.raise('pre_tool_use', call)).decision).toBeUndefined()
  })

  it('what is new is not trusted until somebody approves it', async () => {
    const { file, hooks, reason } = await watched(config(), {
      watch: false,
      trust: openTrust({ store: scratch() }).gate,
    })
    writeFileSync(file, config('new'))
    await hooks.reload()
    expect(await reason()).toMatch(/Nobody has approved a hook/)
  })
})

describe('a dispatch sees exactly one generation', () => {
  /** An executor that waits until the test opens the gate, and answers with the generation of its spec. */
  function held() {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    let closed = false
    let runs = 0
    const executor = defineExecutor({
      type: 'held',
      doc: 'For this test.',
      spec: z.looseObject({ word: z.string() }),
      pins: () => [],
      async run({ word }) {
        runs++
        await gate
        return { kind: 'opinion', opinion: { context: [closed ? 'closed' : word] } }
      },
      async close() {
        closed = true
      },
    })
    return { executor, open: () => open(), runs: () => runs }
  }

  it('fifty hooks in flight finish with the config they began with; the next event has the new one', async () => {
    const { executor, open, runs } = held()
    const written = (word: string) =>
      `version: 1\nhooks:\n${Array.from({ length: 50 }, (_, at) => `  - { id: h${at}, event: turn_start, run: { type: held, word: ${word}, unique: ${at} } }\n`).join('')}`
    const { file, hooks } = await watched(written('old'), { watch: false, executors: [executor] })
    const inFlight = hooks.raise('turn_start', { session_id: 's' })
    await expect.poll(runs).toBe(50)
    writeFileSync(file, written('new'))
    await hooks.reload()
    const next = hooks.raise('turn_start', { session_id: 's' })
    open()
    expect((await inFlight).context).toEqual(Array(50).fill('old'))
    expect((await next).context).toEqual(Array(50).fill('new'))
    const generations: unknown[] = []
    for await (const { generation } of hooks.journal.entries() as AsyncIterable<Record<string, unknown>>)
      generations.push(generation)
    expect(generations.sort()).toEqual([1, 2])
  })

  it('a process of a hook that is gone ends after those who were asking it', async () => {
    const script = `require('readline').createInterface({input:process.stdin}).on('line',l=>{const m=JSON.parse(l);setTimeout(()=>console.log(JSON.stringify({jsonrpc:'2.0',id:m.id,result:{context:[String(process.pid)]}})),300)})`
    const resident = `version: 1\nhooks:\n  - event: turn_start\n    run: { type: resident, command: ${JSON.stringify(process.execPath)}, args: [-e, ${JSON.stringify(script)}] }\n`
    const { file, hooks } = await watched(resident, { watch: false })
    const inFlight = hooks.raise('turn_start', { session_id: 's' })
    await new Promise((resolve) => setTimeout(resolve, 50))
    writeFileSync(file, config())
    await hooks.reload()
    const pid = Number((await inFlight).context?.[0])
    expect(pid).toBeGreaterThan(0)
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})

describe('watching', () => {
  it('a change is loaded automatically, with a note', async () => {
    const { file, notes, noted, reason } = await watched(config('one'))
    writeFileSync(file, config('one', 'two'))
    await noted('reloaded')
    expect(await reason()).toBe('one\ntwo')
    expect(notes[0]?.message).toContain('new: two')
  })

  it('an editor that writes by renaming is followed, again and again', async () => {
    const { directory, file, reason } = await watched(config('one'))
    for (const id of ['two', 'three']) {
      writeFileSync(join(directory, '.draft'), config(id))
      renameSync(join(directory, '.draft'), file)
      await expect.poll(reason).toBe(id)
    }
  })

  it('a file that is broken keeps the last good generation, with one note, and one more when it is whole', async () => {
    const { file, hooks, notes, noted, reason } = await watched(config('one'))
    writeFileSync(file, 'version: 1\nhooks:\n  - { id: half')
    await noted('reload-refused')
    appendFileSync(file, ', event: ')
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect([hooks.generation, await reason()]).toEqual([1, 'one'])
    writeFileSync(file, config('two'))
    await noted('reload-whole')
    expect(await reason()).toBe('two')
    expect(notes.map(({ code }) => code)).toEqual(['reload-refused', 'reload-whole'])
  })

  it('put back as it was, it is whole again', async () => {
    const { file, notes, noted } = await watched(config('one'))
    writeFileSync(file, 'version: 2')
    await noted('reload-refused')
    writeFileSync(file, config('one'))
    await noted('reload-whole')
    expect(notes).toHaveLength(2)
  })

  it('emptied and then written is one change: no hook is missed in between', async () => {
    const { file, notes, noted, hooks } = await watched(config('one'))
    truncateSync(file)
    setTimeout(() => writeFileSync(file, config('one', 'two')), 30)
    let over = false
    const loud = noted('reloaded').then(() => {
      over = true
    })
    while (!over) {
      expect((await hooks.raise('pre_tool_use', call)).decision?.ruling).toBe('deny')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await loud
    expect(notes.map(({ code }) => code)).toEqual(['reloaded'])
  })

  it('a named file that is deleted keeps the last good generation', async () => {
    const { file, noted, reason } = await watched(config('one'))
    rmSync(file)
    await noted('reload-refused')
    expect(await reason()).toBe('one')
  })

  it('a file that comes and goes where files are looked for', async () => {
    const directory = scratch()
    const dropIn = join(directory, 'hooks.d', 'more.yaml')
    const { hooks, noted, notes } = await watched(config('one'), {
      config: [],
      watch: [join(directory, 'hooks.d')],
      files: () => (existsSync(dropIn) ? [{ file: dropIn, layer: 'project', dialect: 'native' }] : []),
    })
    expect(hooks.hooks).toEqual([])
    mkdirSync(join(directory, 'hooks.d'))
    writeFileSync(dropIn, config('dropped'))
    await noted('reloaded')
    expect(hooks.hooks.map(({ id }) => id)).toEqual(['dropped'])
    rmSync(dropIn)
    await expect.poll(() => hooks.hooks).toEqual([])
    expect(notes.at(-1)?.message).toContain('gone: dropped')
  })

  it('a bundle that a file uses is watched too', async () => {
    const { directory, file, noted, hooks } = await watched(config('one'))
    writeFileSync(
      join(directory, 'team.bundle.yaml'),
      'name: team\nhooks:\n  - { id: a, event: stop, run: { type: command, command: exit 0 } }\n',
    )
    writeFileSync(file, 'version: 1\nuse: [./team.bundle.yaml]\n')
    await expect.poll(() => hooks.hooks.map(({ id }) => id)).toEqual(['team:a'])
    writeFileSync(
      join(directory, 'team.bundle.yaml'),
      'name: team\nhooks:\n  - { id: b, event: stop, run: { type: command, command: exit 0 } }\n',
    )
    await expect.poll(() => hooks.hooks.map(({ id }) => id)).toEqual(['team:b'])
    await noted('reloaded')
  })

  it('closing leaves no handle behind', async () => {
    const before = process.getActiveResourcesInfo().length
    const { file, hooks } = await watched(config('one'))
    writeFileSync(file, config('two'))
    await hooks.close()
    await expect.poll(() => process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before)
  })
})

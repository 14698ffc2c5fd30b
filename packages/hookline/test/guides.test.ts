import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Builtin, Dialect, Source } from '../src/core/index.ts'
import { createHooks } from '../src/index.ts'
import { lawsOf } from './dialects/laws.ts'
import { remove } from './support/scratch.ts'
import { makeWorld, play } from './support/world.ts'

/** Guides show whole files of the repository. They run here as such, in a folder beside the rooms that they import. */
const source = join(import.meta.dirname, '../src')
const scratch = mkdtempSync(join(import.meta.dirname, 'guides-'))
afterAll(() => remove(scratch))

describe('write-a-builtin', () => {
  it('its examples hold', async () => {
    const { officeHours } = await shown<{ officeHours: Builtin }>('write-a-builtin')
    expect(officeHours.examples).toHaveLength(2)
    for (const example of officeHours.examples) {
      const world = makeWorld(example.given)
      expect(await play(officeHours, example, world)).toEqual(example.expect)
      world.remove()
    }
  })
})

describe('write-a-dialect', () => {
  const from: Source = { file: 'lantern.json', layer: 'project', locate: () => ({ file: 'lantern.json' }) }
  const guards = [{ tool: 'terminal', run: './check.sh' }]

  it('reads configs, and writes them again', async () => {
    const { lantern } = await shown<{ lantern: Dialect }>('write-a-dialect')
    expect(lantern.config.detect({ guards }, 'lantern.json')).toBe(true)
    const { hooks, problems } = lantern.config.decode({ guards: [...guards, { tool: 'terminal' }] }, from)
    expect(problems.map(({ code }) => code)).toEqual(['config-shape'])
    expect(lantern.config.encode(hooks)).toEqual({ value: { guards }, notes: [] })
    const elsewhere = { ...hooks[0]!, event: 'stop' as const }
    expect(lantern.config.encode([elsewhere]).notes.map(({ code }) => code)).toEqual(['translation-lost'])
  })

  it('passes payloads on, and reads exit codes as documented', async () => {
    const { lantern } = await shown<{ lantern: Dialect }>('write-a-dialect')
    const { passesOn, decodeReply } = lawsOf(lantern)
    passesOn({ hook: 'beforeTool', tool: 'terminal', arguments: { line: 'ls' }, session: 's1' })
    expect(decodeReply('pre_tool_use', '', 0)).toEqual({ notes: [] })
    expect(decodeReply('pre_tool_use', 'No.', 1)).toEqual({ decision: { ruling: 'deny', reason: 'No.' }, notes: [] })
    expect(decodeReply('pre_tool_use', '', 2)).toEqual({ failure: 'exit' })
  })

  it('an ask and a halt block, an allow does not', async () => {
    const { lantern } = await shown<{ lantern: Dialect }>('write-a-dialect')
    const exit = (opinion: object) => lantern.reply.encode(opinion as never).value.exit
    expect(exit({ decision: { ruling: 'ask', reason: 'Sure?' } })).toBe(1)
    expect(exit({ halt: { reason: 'Enough.' }, decision: { ruling: 'allow', reason: '' } })).toBe(1)
    expect(exit({ decision: { ruling: 'allow', reason: '' } })).toBe(0)
    expect(exit({})).toBe(0)
  })
})

describe('share-with-a-team', () => {
  it('its bundle can be used with its parameter, and a hook of another bundle is muted', async () => {
    const files = [...pageOf('share-with-a-team').matchAll(/```yaml\n(# (\S+)\n[\s\S]*?)```/g)]
    expect(files.map(([, , name]) => name)).toEqual(['bundles/team-rules.yaml', 'hookline.yaml'])
    for (const [, text, name] of files) write(join(scratch, name!), text!)
    const hooks = await createHooks({ config: join(scratch, 'hookline.yaml') })
    expect(hooks.notes).toEqual([])
    const own = hooks.hooks.find(({ id }) => id === 'team-rules:branch')
    expect(own?.run).toMatchObject({ args: ['hooks/protect.mjs', 'release'] })
    expect(hooks.hooks.find(({ id }) => id === 'security:pasted-secrets')?.enabled ?? false).toBe(false)
    expect(hooks.hooks.find(({ id }) => id === 'security:final-check')?.enabled).toBe(true)
    await hooks.close()
  })
})

const pageOf = (guide: string): string => readFileSync(join(source, '../../../docs/guides', `${guide}.md`), 'utf8')

/** The file that a guide shows, as a module. */
async function shown<Module>(guide: string): Promise<Module> {
  const [, path, text] = /```ts\n\/\/ packages\/hookline\/src\/(\S+)\n([\s\S]*?)```/.exec(pageOf(guide))!
  const file = join(scratch, path!)
  write(file, text!.replace(/'(\.\.\/)+core\/index\.ts'/, JSON.stringify(join(source, 'core/index.ts'))))
  return (await import(file)) as Module
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

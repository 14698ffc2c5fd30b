import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeArtefacts } from '../../../scripts/artefacts.ts'
import { readCases } from '../src/cli/cases/read.ts'
import { lifecycle } from '../src/config/lifecycle.ts'
import { loadConfig } from '../src/config/load.ts'
import { validateHooks } from '../src/config/validate.ts'
import { eventNames } from '../src/core/index.ts'
import { createExecutors, executorTypes } from '../src/executors/index.ts'
import { scratch } from './support/scratch.ts'

const root = new URL('../../../', import.meta.url)
const artefacts = await makeArtefacts(root)

describe('files made from the tables', () => {
  for (const [path, content] of Object.entries(artefacts))
    test(`${path} is up to date (npx jiti scripts/generate.ts)`, async () => {
      expect(await readFile(new URL(path, root), 'utf8')).toBe(content)
    })

  test('the lifecycle shows every event, and no other', () => {
    const shown = new Set(lifecycle.match(/\b[a-z]+(?:_[a-z]+)+\b|\bstop\b|\bnotification\b/g))
    expect([...shown].sort()).toEqual([...eventNames].sort())
  })
})

describe('docs/config.md', () => {
  const examples = [...artefacts['docs/config.md']!.matchAll(/```yaml\n(.*?)```/gs)].map((match) => match[1]!)

  test.each(examples)('example %# loads', async (text) => {
    const executors = await createExecutors()
    const { hooks, notes } = await loadConfig('hookline.yaml', { layer: 'user', text })
    expect(notes).toEqual([])
    expect((await validateHooks(hooks, executors)).problems).toEqual([])
    await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  })
})

describe('docs/testing.md', () => {
  const examples = [...artefacts['docs/testing.md']!.matchAll(/```yaml\n(.*?)```/gs)].map((match) => match[1]!)

  test.each(examples)('example %# can be read', async (text) => {
    const file = join(scratch({ 'hookline.test.yaml': text }), 'hookline.test.yaml')
    const problems = text.includes('cases:')
      ? (await readCases(file)).problems
      : (await loadConfig('hookline.yaml', { layer: 'user', text })).notes
    expect(problems).toEqual([])
  })
})

describe('schema/hookline.schema.json', () => {
  interface Schema {
    properties: {
      hooks: { items: { properties: { event: { oneOf: { const: string }[] }; run: { anyOf: { title?: string }[] } } } }
    }
  }
  const { event, run } = (JSON.parse(artefacts['packages/hookline/schema/hookline.schema.json']!) as Schema).properties
    .hooks.items.properties

  test('knows every event and every executor', () => {
    expect(event.oneOf.map((choice) => choice.const)).toEqual(eventNames)
    expect(run.anyOf.flatMap((choice) => choice.title ?? [])).toEqual(executorTypes)
  })
})

import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { makeArtefacts } from '../../../scripts/artefacts.ts'
import { lifecycle } from '../src/config/document.ts'
import { eventNames } from '../src/core/index.ts'
import { executorTypes } from '../src/executors/index.ts'

const root = new URL('../../../', import.meta.url)
const artefacts = await makeArtefacts(root)

describe('files made from the tables', () => {
  for (const [path, content] of Object.entries(artefacts))
    test(`${path} is up to date (npm run generate)`, async () => {
      expect(await readFile(new URL(path, root), 'utf8')).toBe(content)
    })

  test('the lifecycle shows every event, and no other', () => {
    const shown = new Set(lifecycle.match(/\b[a-z]+(?:_[a-z]+)+\b|\bstop\b|\bnotification\b/g))
    expect([...shown].sort()).toEqual([...eventNames].sort())
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

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
// @ts-expect-error: a script of the project, without types
import { exampleNames, readExample, runExample } from '../../../scripts/examples.mjs'

interface Example {
  shows: string[]
  hides?: string[]
  leaves?: Record<string, string>
  keeps?: string[]
  gone?: string[]
  exit?: number
}

describe.each(exampleNames() as string[])('npm run example %s', (name) => {
  it('shows what it says', async () => {
    const { shows, hides = [], leaves = {}, keeps = [], gone = [], exit: expected = 0 } = readExample(name) as Example
    const { exit, printed } = await runExample(name, {
      stdio: 'pipe',
      env: { NO_COLOR: '1' },
      look({ directory }: { directory: string }) {
        for (const [file, pattern] of Object.entries(leaves))
          expect(readFileSync(join(directory, file), 'utf8')).toMatch(new RegExp(pattern, 'm'))
        expect(keeps.filter((file) => !existsSync(join(directory, file)))).toEqual([])
        expect(gone.filter((file) => existsSync(join(directory, file)))).toEqual([])
      },
    })
    for (const text of shows) expect(printed).toContain(text)
    for (const text of hides) expect(printed).not.toContain(text)
    expect(exit, printed).toBe(expected)
  })
})

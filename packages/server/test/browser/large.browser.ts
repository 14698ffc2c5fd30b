import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { entry, write } from '../support/journal.ts'
import { world } from './world.ts'

/** HOOKLINE_ROWS=100000 measures; less shows the same law. */
const rows = Number(process.env['HOOKLINE_ROWS'] ?? 5_000)

it('of thousands of decisions only those in sight are in the page, and the newest and the oldest are reached', async () => {
  const at = await world('version: 1\nhooks: []\n')
  const page = await at.open()
  await at.signIn(page, '/journal')
  mkdirSync(dirname(at.journal), { recursive: true })
  await write(
    at.journal,
    Array.from({ length: rows }, (_, number) => entry(`npm run step-${number}`)),
  )
  const count = async () =>
    page.evaluate<number>(`fetch('/api/journal').then((response) => response.json()).then(({ entries }) => entries)`)
  await expect.poll(count, { timeout: 240_000, interval: 500 }).toBeGreaterThanOrEqual(rows)
  await page.reload()
  await page.locator('.row', { hasText: `step-${rows - 1}` }).waitFor()
  // Scrolled as fast as pages come, frame by frame; what one frame took is measured, and printed for who wants to know.
  const scrolled = await page.evaluate<{ rows: number; longest: number; frames: number }>(`new Promise((done) => {
    const grid = document.querySelector('.grid')
    let [last, longest, frames, still] = [performance.now(), 0, 0, 0]
    const step = (now) => {
      longest = Math.max(longest, now - last)
      last = now
      frames++
      const before = grid.scrollTop
      grid.scrollTop += 4000
      still = grid.scrollTop === before ? still + 1 : 0
      if (still > 120) done({ rows: grid.scrollHeight / 28, longest, frames })
      else requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)
  console.log(
    `Scrolled ${scrolled.rows} rows in ${scrolled.frames} frames; the longest took ${scrolled.longest.toFixed(1)} ms.`,
  )
  await page.locator('.row .what').getByText('npm run step-0', { exact: true }).waitFor()
  expect(await page.locator('.row').count()).toBeLessThan(100)
})

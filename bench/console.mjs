import { spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { summarise } from './kit/measure.mjs'
import { atMost, below, number, row, skipped, time } from './kit/row.mjs'
import { fill, place, serve } from './kit/served.mjs'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

/** The console in a real browser: how long until it is there, and the longest frame while a journal is scrolled through. */
export default async function ({ quick }) {
  const found = names.map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()).find(Boolean)
  const executablePath = process.env.CHROMIUM || found
  if (!executablePath)
    return ['console: first load', 'console: scrolling'].map((what) => skipped(what, 'there is no Chromium here'))
  const { chromium } = await import('playwright-core')
  const at = place()
  const rows = quick ? 20_000 : 100_000
  await fill(at.journal, rows)
  const server = await serve(at)
  const browser = await chromium.launch({ executablePath, args })
  try {
    await server.indexed(rows)
    return [await firstLoad(browser, server, quick), await scrolling(browser, server, rows)]
  } finally {
    await browser.close()
    await server.end()
    at.remove()
  }
}

/** Each in a profile of its own, so that nothing is cached; until the first screen has its content. */
async function firstLoad(browser, { url, token }, quick) {
  const times = []
  for (let round = 0; round < (quick ? 3 : 8); round++) {
    const context = await browser.newContext({ extraHTTPHeaders: { authorization: `Bearer ${token}` } })
    const page = await context.newPage()
    const started = performance.now()
    await page.goto(`${url}/journal`)
    await page.locator('.row').first().waitFor()
    times.push(performance.now() - started)
    await context.close()
  }
  const measured = summarise(times)
  return row({
    what: 'Console: first load, nothing cached, to the first rows',
    ours: time(measured),
    bar: below(1_000, ' ms'),
    value: measured.p50,
  })
}

/** As a person does with a wheel, and then as fast as pages come; what else the browser does is in it. */
async function scrolling(browser, { url, token }, rows) {
  const context = await browser.newContext({
    extraHTTPHeaders: { authorization: `Bearer ${token}` },
    viewport: { width: 1280, height: 800 },
  })
  const page = await context.newPage()
  await page.goto(`${url}/journal`)
  await page.locator('.row').first().waitFor()
  await pause(1_000)
  const floor = await page.evaluate(watch('() => false', 120))
  await browser.startTracing(page, { categories: ['toplevel'] })
  const { longest, frames, over, height } = await page.evaluate(
    watch('(grid) => { grid.scrollTop += 4000; return grid.scrollTop }', 0),
  )
  const busy = longestTask(await browser.stopTracing())
  await context.close()
  return row({
    what: `Console: the longest frame while ${rows.toLocaleString('en')} rows are scrolled through`,
    ours: `${number(longest)} ms`,
    other: `the same page at rest: ${number(floor.longest)} ms`,
    bar: atMost(50, ' ms'),
    value: longest,
    note: `the longest work of the page in one go: ${number(busy)} ms of processor; ${frames} frames, ${over} over 50 ms, ${Math.round(height / 28).toLocaleString('en')} rows`,
  })
}

/** In time of the processor: what the page itself needed, whatever else ran on the machine. */
function longestTask(trace) {
  const { traceEvents } = JSON.parse(trace.toString())
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const mains = new Set(threads.map(({ pid, tid }) => `${pid} ${tid}`))
  const own = traceEvents.filter(({ pid, tid, tdur }) => tdur !== undefined && mains.has(`${pid} ${tid}`))
  return own.reduce((most, { tdur }) => Math.max(most, tdur / 1000), 0)
}

/** Runs in the page. It ends after so many frames, or when nothing has moved for a while. */
const watch = (step, most) => `new Promise((done) => {
  const grid = document.querySelector('.grid')
  const move = ${step}
  let [last, longest, frames, over, still, before] = [performance.now(), 0, 0, 0, 0, -1]
  const frame = (now) => {
    const took = now - last
    last = now
    if (frames++ > 5) {
      longest = Math.max(longest, took)
      if (took > 50) over++
    }
    const at = move(grid)
    still = at === before ? still + 1 : 0
    before = at
    if (still > ${most || 120}) done({ longest, frames, over, height: grid.scrollHeight })
    else requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})`

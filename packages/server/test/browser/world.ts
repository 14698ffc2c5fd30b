import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { machine } from '../support/machine.ts'

/** The same with a browser. */
export async function world(config: string) {
  const at = await machine(config)
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM']!,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })
  onTestFinished(() => browser.close())
  return {
    ...at,
    async open(options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
      // Like a debugger, and unlike the page, it may run what the page may not.
      await context.addInitScript({ content: axe.source })
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      // Nothing of what agents and projects write may ever run in the page.
      page.on('dialog', (dialog) => {
        throw new Error(`Something ran in the page: ${dialog.message()}`)
      })
      return page
    },
    /** At a screen, signed in by a link of its own, and known to the daemon as somebody who can answer. */
    async signIn(page: Page, path = '/inbox'): Promise<void> {
      const used = await at.link()
      await page.goto(used)
      await page.getByRole('navigation', { name: 'Screens' }).waitFor()
      await at.attended()
      await visit(page, path)
    },
  }
}

/** By the rail, as a person goes: the page stays open, and what waits goes on waiting. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.locator(`nav a[href="${path}"]`).click()
  await page.locator(`nav a[href="${path}"][aria-current=page]`).waitFor()
}

/** A question that waits, once it stands still: before, the console takes no answer. */
export async function question(page: Page, what: string): Promise<Locator> {
  const found = page.locator('.questions[aria-busy=false] .question', {
    has: page.locator('pre.command').getByText(what, { exact: true }),
  })
  await found.waitFor()
  return found
}

/** WCAG 2 A and AA, as far as a program can tell. */
export async function isAccessible(page: Page): Promise<void> {
  const found = await page.evaluate(async () => {
    const { axe, document } = globalThis as never as { axe: typeof import('axe-core'); document: never }
    const { violations } = await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
  })
  expect(found).toEqual([])
}

/** The same page in light and dark: legible in both. */
export async function inBothThemes(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await isAccessible(page)
    await shoot(page, `${name}-${colorScheme}`)
  }
}

/** For looking at, where somebody wants to (HOOKLINE_SCREENSHOTS). */
export async function shoot(page: Page, name: string): Promise<void> {
  const directory = process.env['HOOKLINE_SCREENSHOTS']
  if (directory === undefined) return
  mkdirSync(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `${name}.png`) })
}

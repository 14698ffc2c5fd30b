import { defineConfig } from 'vitest/config'
import usual from './vitest.config.ts'

// The projects of the usual run are its own: with them, this would run everything.
const { projects: _projects, ...test } = usual.test!

/** What needs a browser; `npm run test:browser` finds one. */
export default defineConfig({
  ...usual,
  test: { ...test, include: ['packages/server/test/browser/*.browser.ts'], maxWorkers: 1, testTimeout: 300_000 },
})

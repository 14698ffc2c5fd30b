import { defineConfig, mergeConfig } from 'vitest/config'
import usual from './vitest.config.ts'

/** What needs a browser; `npm run test:browser` finds one. */
export default mergeConfig(
  { ...usual, test: { ...usual.test, include: [] } },
  defineConfig({
    test: { include: ['packages/server/test/browser/*.browser.ts'], maxWorkers: 1, testTimeout: 300_000 },
  }),
)

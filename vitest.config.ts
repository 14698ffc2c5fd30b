import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { sources } from './scripts/sources.mjs'

export default defineConfig({
  resolve: { alias: sources },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'packages/adapters/*/test/**/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('packages/hookline/test/support/global-setup.ts', import.meta.url))],
    // Generous, for a busy machine: nothing here measures how fast things are.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Two workers: process tests measure their own deadlines, and a crowded machine would blur them.
    maxWorkers: 2,
    typecheck: { enabled: false },
  },
})

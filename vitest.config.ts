import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Generous, for a busy machine: nothing here measures how fast things are.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Two workers: process tests measure their own deadlines, and a crowded machine would blur them.
    maxWorkers: 2,
    typecheck: { enabled: false },
  },
})

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two workers: process tests measure their own deadlines, and a crowded machine would blur them.
    maxWorkers: 2,
    typecheck: { enabled: false },
  },
})

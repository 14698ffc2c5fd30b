import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { sources } from './scripts/sources.mjs'

const all = ['packages/*/test/**/*.test.ts', 'packages/adapters/*/test/**/*.test.ts']
/** Rooms whose tests leave nothing behind in the modules they use: their files share a worker, and load everything once. */
const sharing = [
  'builtins',
  'config',
  'core',
  'dialects',
  'engine',
  'guards',
  'platform',
  'rules',
  'seam',
  'shell',
  'stakes',
].map((room) => `packages/hookline/test/${room}/**/*.test.ts`)

export default defineConfig({
  resolve: { alias: sources },
  test: {
    globalSetup: [fileURLToPath(new URL('packages/hookline/test/support/global-setup.ts', import.meta.url))],
    // Generous, for a busy machine: nothing here measures how fast things are.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Two workers: process tests measure their own deadlines, and a crowded machine would blur them.
    maxWorkers: 2,
    typecheck: { enabled: false },
    projects: [
      { extends: true, test: { name: 'sharing', include: sharing, isolate: false } },
      { extends: true, test: { name: 'alone', include: all, exclude: [...configDefaults.exclude, ...sharing] } },
    ],
  },
})

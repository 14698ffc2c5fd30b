import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { sources } from './scripts/sources.mjs'

const all = ['packages/*/test/**/*.test.ts', 'packages/adapters/*/test/**/*.test.ts']
/**
 * Files that want a process of their own: they change its environment, or look at its handles, or only one of what they start can be
 * in a process. The others share three, and load what they test once.
 */
const alone = [
  'packages/{server,adapters}/**/*.test.ts',
  'packages/hookline/test/*.test.ts',
  'packages/hookline/test/{compat,daemon,edge,executors,fleet,person,trust,watch}/**/*.test.ts',
  'packages/hookline/test/builtins/does.test.ts',
  'packages/hookline/test/cli/{rules-written,state}.test.ts',
  'packages/hookline/test/hosts/{documented,promises}.test.ts',
  'packages/agent/test/{documented-examples,documented-guards,tools-container}.test.ts',
  'packages/agent/test/terminal/**/*.test.ts',
]
const support = (file: string) => fileURLToPath(new URL(`packages/hookline/test/support/${file}`, import.meta.url))

export default defineConfig({
  resolve: { alias: sources },
  test: {
    globalSetup: [support('global-setup.ts')],
    // Generous, for a busy machine: nothing here measures how fast things are.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // One more than the two cores this is meant for: a third of the time, tests wait for a process, a terminal or a disk.
    maxWorkers: 3,
    typecheck: { enabled: false },
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        test: {
          name: 'sharing',
          include: all,
          exclude: [...configDefaults.exclude, ...alone],
          isolate: false,
          setupFiles: [support('file-setup.ts')],
        },
      },
    ],
  },
})

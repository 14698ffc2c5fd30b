import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig, type UserConfig } from 'tsdown'
import { known } from './scripts/known.mjs'
import { lazySchemas } from './scripts/lazy-schemas.mjs'
import { writeLicenses } from './scripts/licenses.mjs'
import { packs } from './scripts/packs.mjs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

/** What every start loads is bundled: reading a package's files one by one costs more than running them. */
const bundled = [
  'zod',
  're2js',
  'yaml',
  'jsonc-parser',
  'lossless-json',
  'fastest-levenshtein',
  'ipaddr.js',
  'unbash',
  '@clack/prompts',
  '@clack/core',
  'sisteransi',
  'fast-string-width',
  'fast-wrap-ansi',
]

const common = {
  define: { __HOOKLINE_VERSION__: JSON.stringify(version) },
  deps: {
    alwaysBundle: bundled.map((name) => new RegExp(`^${name}($|/)`)),
  },
  // jsonc-parser's `main` is a UMD file that cannot be bundled; its `module` can.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  platform: 'node',
  target: 'node20',
  // Comments and white space cost at every start; names stay, for stack traces.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  clean: true,
} satisfies UserConfig

export default defineConfig([
  {
    ...common,
    name: 'library',
    entry: {
      index: 'src/index.ts',
      guards: 'src/guards/index.ts',
      agent: 'src/agent.ts',
      'compat/pydantic-deep': 'src/compat/pydantic-deep.ts',
      'fork-server': 'src/executors/command/fork-server.ts',
      'sandbox-worker': 'src/platform/sandbox/worker.ts',
    },
    format: 'esm',
    dts: { entry: ['src/index.ts', 'src/guards/index.ts', 'src/agent.ts', 'src/compat/pydantic-deep.ts'] },
    outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
    onSuccess: () => writeLicenses(bundled, 'dist/LICENSES.txt'),
  },
  {
    ...common,
    name: 'command line',
    // scripts/packs.mjs knows it when all is built.
    define: { ...common.define, __HOOKLINE_BUILD__: '"__BUILD__"' },
    entry: { 'cli/main': 'src/cli/main.ts' },
    format: 'cjs',
    unbundle: true,
    outputOptions: { preserveModulesRoot: resolve('src') },
    dts: false,
    plugins: [known(), lazySchemas(), packs()],
  },
])

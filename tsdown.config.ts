import { readFileSync } from 'node:fs'
import { defineConfig } from 'tsdown'
import { writeLicenses } from './scripts/licenses.mjs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

/** What every start loads is bundled: reading a package's files one by one costs more than running them. */
const bundled = ['zod', 're2js', 'yaml', 'jsonc-parser', 'lossless-json', 'fastest-levenshtein', 'ipaddr.js', 'unbash']

export default defineConfig({
  define: { __HOOKLINE_VERSION__: JSON.stringify(version) },
  entry: {
    index: 'src/index.ts',
    guards: 'src/guards/index.ts',
    'compat/pydantic-deep': 'src/compat/pydantic-deep.ts',
    cli: 'src/cli/main.ts',
    'fork-server': 'src/executors/command/fork-server.ts',
    'sandbox-worker': 'src/platform/sandbox/worker.ts',
  },
  deps: {
    alwaysBundle: bundled.map((name) => new RegExp(`^${name}($|/)`)),
  },
  // jsonc-parser's `main` is a UMD file that cannot be bundled; its `module` can.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: { entry: ['src/index.ts', 'src/guards/index.ts', 'src/compat/pydantic-deep.ts'] },
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  // Comments and white space cost at every start; names stay, for stack traces.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  clean: true,
  onSuccess: () => writeLicenses(bundled, 'dist/LICENSES.txt'),
})

import { readFileSync } from 'node:fs'
import { defineConfig } from 'tsdown'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

export default defineConfig({
  define: { __HOOKLINE_VERSION__: JSON.stringify(version) },
  entry: {
    index: 'src/index.ts',
    guards: 'src/guards/index.ts',
    cli: 'src/cli/main.ts',
    'fork-server': 'src/executors/command/fork-server.ts',
    'sandbox-worker': 'src/executors/sandbox/worker.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: { entry: ['src/index.ts', 'src/guards/index.ts'] },
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  clean: true,
})

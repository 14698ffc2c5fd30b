import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'fork-server': 'src/executors/command/fork-server.ts',
    'sandbox-worker': 'src/executors/sandbox/worker.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: { entry: ['src/index.ts'] },
  clean: true,
})

import { defineConfig } from 'vite'

export default defineConfig({
  base: '/',
  build: {
    outDir: '../server/dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // The page may run nothing but its own files: no polyfill, nothing inlined.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
})

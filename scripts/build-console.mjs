import { build } from 'vite'
import { root } from './setup.mjs'

/** The web page of the server, into the server's own built files. */
export async function buildConsole() {
  await build({
    root: `${root}packages/console`,
    configFile: `${root}packages/console/vite.config.mjs`,
    logLevel: 'warn',
  })
}

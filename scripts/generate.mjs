import { install, tool } from './setup.mjs'
import { sources } from './sources.mjs'

/** Rewrites what is made from the tables: schemas and pages of docs/. */
install()
process.exit(
  tool('jiti/lib/jiti-cli.mjs', ['scripts/generate.ts'], {
    env: { ...process.env, JITI_ALIAS: JSON.stringify(sources) },
  }),
)

import { build, install } from './setup.mjs'

install()
process.exit(build())

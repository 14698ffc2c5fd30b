import { checkTypes, install } from './setup.mjs'

install()
process.exit(checkTypes())

import { install, makeFresh } from './setup.mjs'

/** Sets up what is missing, then shows the engine at work. */
install()
makeFresh()
await import('../examples/guided/tour.mjs')

import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build, install, root } from './setup.mjs'

/** Sets up what is missing, then shows the engine at work. */
install()
if (!isFresh()) {
  process.stderr.write('Building (a few seconds)…\n')
  if (build() !== 0) process.exit(1)
}
await import('../examples/guided/tour.mjs')

function isFresh() {
  const built = join(root, 'dist/index.js')
  if (!existsSync(built)) return false
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((file) =>
    join(root, 'src', file),
  )
  return sources.every((file) => statSync(file).mtimeMs <= statSync(built).mtimeMs)
}

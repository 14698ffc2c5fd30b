import { cpSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { install, makeFresh, root } from './setup.mjs'

/**
 * `prepack` of every package: sets up and builds what is missing, and brings the pages that the package carries, because
 * messages point to them. The copies are not committed.
 */
const carried = {
  hookline: ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'docs'],
}

install()
makeFresh({ declarations: true })
const here = process.cwd()
for (const page of carried[basename(here)] ?? ['LICENSE']) {
  rmSync(join(here, page), { recursive: true, force: true })
  cpSync(join(root, page), join(here, page), { recursive: true })
}

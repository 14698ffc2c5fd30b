import { cpSync, existsSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { install, makeFresh, root } from './setup.mjs'

/**
 * `prepack` of every package: sets up and builds what is missing, and brings the pages that the package carries, because
 * messages point to them. The copies are not committed.
 */
const carried = {
  hookline: ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'docs'],
}

const here = process.cwd()
if (existsSync(join(here, 'package-lock.json'))) {
  process.stderr.write('Run `npm pack` in the folder of a package: this script is its `prepack`.\n')
  process.exit(64)
}
install()
makeFresh({ declarations: true })
for (const page of carried[basename(here)] ?? ['LICENSE']) {
  rmSync(join(here, page), { recursive: true, force: true })
  cpSync(join(root, page), join(here, page), { recursive: true })
}

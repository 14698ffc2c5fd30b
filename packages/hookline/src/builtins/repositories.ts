/** Whose repository git would find in a directory: what its settings name, git runs. */
import { dirname, join } from 'node:path'
import type { BuiltinKit } from '../core/index.ts'

type Look = Pick<BuiltinKit, 'kind'>

/**
 * Whether it is the outermost one around, with a `.git` of its own. A clone brings no `.git`, but it can bring a whole
 * repository without one (a directory of `HEAD`, `objects` and `refs`), and something in the workspace may have made
 * another further down.
 */
export async function isOwnRepository(directory: string, look: Look): Promise<boolean> {
  let found = false
  for (const each of upwards(directory)) {
    const git = await look.kind(join(each, '.git'))
    if (git !== undefined && found) return false
    if (git === 'directory') found = true
    else if (git !== undefined || (!found && (await isBare(each, look)))) return false
  }
  return found
}

async function isBare(directory: string, look: Look): Promise<boolean> {
  const [head, objects, refs] = await Promise.all(
    ['HEAD', 'objects', 'refs'].map((name) => look.kind(join(directory, name))),
  )
  return head !== undefined && (objects !== undefined || refs !== undefined)
}

function upwards(directory: string): string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...upwards(parent)]
}

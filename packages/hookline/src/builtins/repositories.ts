/** Whose repository git would find in a directory: what its settings name, git runs. */
import { basename, dirname, join, resolve } from 'node:path'
import type { BuiltinKit } from '../core/index.ts'

type Look = Pick<BuiltinKit, 'kind' | 'read' | 'realpath'>

/**
 * Whether it is the outermost one around, with a `.git` of its own. A clone brings no `.git`, but it can bring a whole
 * repository without one (a directory of `HEAD`, `objects` and `refs`), and something in the workspace may have made
 * another further down. A worktree has the settings of the repository that it belongs to, so that one counts.
 */
export async function isOwnRepository(directory: string, look: Look): Promise<boolean> {
  let found: string | undefined
  for (const each of upwards(directory)) {
    const place = join(each, '.git')
    const kind = await look.kind(place)
    if (found !== undefined) {
      if (kind !== undefined && place !== found) return false
    } else if (kind === 'directory') found = place
    else if (kind === 'file') {
      found = await sharedBy(place, look)
      if (found === undefined || !(await isOutermost(found, look))) return false
    } else if (kind !== undefined || (await isBare(each, look))) return false
  }
  return found !== undefined
}

/**
 * The `.git` directory behind the `.git` file of a worktree that git has made: both name each other. Anybody can write a file
 * that leads somewhere; to be named from there takes writing to the repository itself.
 */
async function sharedBy(file: string, look: Look): Promise<string | undefined> {
  const own = /^gitdir: (.+)\n?$/.exec((await look.read(file, longestPath)) ?? '')?.[1]
  if (own === undefined) return undefined
  const place = await look.realpath(resolve(dirname(file), own))
  const worktrees = dirname(place)
  const shared = dirname(worktrees)
  if (basename(worktrees) !== 'worktrees' || basename(shared) !== '.git') return undefined
  const back = (await look.read(join(place, 'gitdir'), longestPath))?.trim()
  const common = (await look.read(join(place, 'commondir'), longestPath))?.trim()
  if (!back || !common || resolve(place, common) !== shared) return undefined
  return (await look.realpath(resolve(place, back))) === (await look.realpath(file)) ? shared : undefined
}

const longestPath = 4_096

async function isOutermost(git: string, look: Look): Promise<boolean> {
  if ((await look.kind(git)) !== 'directory') return false
  const above = upwards(dirname(dirname(git))).map((each) => look.kind(join(each, '.git')))
  return (await Promise.all(above)).every((kind) => kind === undefined)
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

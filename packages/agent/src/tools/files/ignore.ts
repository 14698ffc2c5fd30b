import { matchesGlob } from 'hookline/internal'

/** What no listing or search wants to see, with or without a `.gitignore`. */
const always = new Set(['.git', '.hg', '.svn', 'node_modules'])

export type Ignore = (path: readonly string[], directory: boolean) => boolean

export const ignoreNothing: Ignore = () => false
export const ignoreUsual: Ignore = (path) => always.has(path.at(-1) ?? '')

/** `outer`, and the patterns of a `.gitignore` in the directory `base`. A later pattern wins, and `!` takes back. */
export function ignoreFile(content: string, base: readonly string[], outer: Ignore): Ignore {
  const patterns = content.split(/\r?\n/).flatMap((line) => parseLine(line) ?? [])
  if (patterns.length === 0) return outer
  return (path, directory) => {
    const inside = path.slice(base.length)
    const last = patterns.findLast(
      (pattern) => (directory || !pattern.directoryOnly) && matchesSteps(pattern.steps, inside),
    )
    return last ? !last.negated : outer(path, directory)
  }
}

interface IgnorePattern {
  steps: readonly string[]
  negated: boolean
  directoryOnly: boolean
}

function parseLine(line: string): IgnorePattern | undefined {
  const trimmed = line.replace(/(?<!\\)\s+$/, '')
  if (trimmed === '' || trimmed.startsWith('#')) return undefined
  const negated = trimmed.startsWith('!')
  const body = (negated ? trimmed.slice(1) : trimmed).replace(/^\\/, '')
  const directoryOnly = body.endsWith('/')
  const steps = body.replace(/^\/|\/$/g, '').split('/')
  // Without a slash inside, it holds at any depth.
  const anchored = body.replace(/\/$/, '').includes('/')
  return { steps: anchored ? steps : ['**', ...steps], negated, directoryOnly }
}

/** `**` is any number of directories; every other step is matched by itself, in linear time. */
export function matchesSteps(pattern: readonly string[], path: readonly string[]): boolean {
  const reached = new Set([0])
  for (const step of [...path, undefined]) {
    for (const at of reached) if (pattern[at] === '**') reached.add(at + 1)
    if (step === undefined) break
    const next = [...reached].flatMap((at) => {
      const wanted = pattern[at]
      if (wanted === '**') return [at]
      return wanted !== undefined && matchesGlob(wanted, step) ? [at + 1] : []
    })
    reached.clear()
    for (const at of next) reached.add(at)
  }
  return reached.has(pattern.length)
}

/** Which names a search reads, of those in a directory. */
import { matchesGlob } from '../shell/index.ts'
import { bracesOf } from './braces.ts'
import type { Look, Search } from './types.ts'

export function searching(search: Search | undefined, inTree: string, look: Look): (name: string) => boolean {
  if (!search) return () => true
  const { visible, names = [], tracked } = search
  const asked = names.flatMap(readName)
  const narrow = asked.some(({ reads }) => reads)
  const back = visible ? takenBack(inTree, look).flatMap(readName) : []
  return (name) => {
    if (tracked && look.tracked?.(inTree + name) === false) return false
    const last = asked.findLast((each) => matches(each, name))
    if (last) return last.reads
    if (narrow) return false
    return !visible || !name.startsWith('.') || back.some((each) => matches(each, name))
  }
}

interface Name {
  reads: boolean
  pattern: string
}

function readName(text: string): Name[] {
  const reads = !text.startsWith('!')
  const patterns = bracesOf(reads ? text : text.slice(1)) ?? (reads ? ['*'] : [])
  return patterns.map((pattern) => ({ reads, pattern }))
}

/** In doubt, a name is read: folders in front of it are taken for any, unless the pattern leaves it out. */
function matches({ reads, pattern }: Name, name: string): boolean {
  const base = pattern.replace(/^\/?(?:\*\*\/)+|^\//, '')
  if (!reads) return !/[/{}\\]/.test(base) && matchesGlob(base, name)
  const last = base.slice(base.lastIndexOf('/') + 1)
  return /[{}\\]/.test(last) || last === '' || matchesGlob(last.toLowerCase(), name.toLowerCase())
}

/** Lines with `!` in the files that name what a search goes past. */
function takenBack(inTree: string, look: Look): string[] {
  const lines = ['.gitignore', '.ignore', '.rgignore'].flatMap((file) => look.read?.(inTree + file)?.split('\n') ?? [])
  return lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1).trim())
}

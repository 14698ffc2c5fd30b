import { isKnown, type PathAction, type Slot } from '../rules/index.ts'

/** Which files a word means, as far as it says: all at or below `base` that pass the test. */
export interface Meant {
  base: string
  test?: (path: string) => boolean
  /** Everything in `base`: `*`, or every file that is found there. */
  everything: boolean
  /** What fills the gaps is no name of a file that is there: it may be nothing, or lead elsewhere. */
  open: boolean
}

/** Undefined: nothing is known of where it lies. */
export function meantBy({ recursive }: PathAction, slot: Slot): Meant | undefined {
  const [first = ''] = slot.parts
  if (!first.startsWith('/')) return undefined
  if (isKnown(slot)) return { base: trimmed(first), everything: false, open: false }
  const base = trimmed(first.slice(0, first.lastIndexOf('/')))
  const gap = slot.globbed ? '[^/]*' : '.*'
  const below = recursive || slot.found ? '(?:/.*)?' : ''
  // Each gap multiplies what a long name costs: of a word with many, only the beginning is compared.
  const parts = slot.parts.length > mostParts ? [first, ''] : slot.parts
  const pattern = new RegExp(`^${parts.map(escaped).join(parts === slot.parts ? gap : '.*')}${below}/?$`, 's')
  const isAll = slot.parts.length === 2 && slot.parts[1] === '' && first.endsWith('/')
  const everything = isAll && (recursive === true || slot.found !== undefined)
  const open = !slot.globbed && !slot.found
  return { base, everything: everything && !open, open, test: (path) => pattern.test(path) }
}

const mostParts = 4
const trimmed = (path: string): string => path.replace(/(?<=.)\/+$/, '') || '/'
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

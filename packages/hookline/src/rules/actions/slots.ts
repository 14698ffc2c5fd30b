import { NAME, PATH, UNKNOWN } from '../../guards/shell/index.ts'
import { known, type Slot, unknownSlot } from '../types.ts'

const gaps = new RegExp(`[${UNKNOWN}${NAME}${PATH}]+`)
const unknown = new RegExp(`[${UNKNOWN}]`)
const isHalfKnown = (text: string): boolean => gaps.test(text)
/** What a shell pattern leaves open: within one name, or, with `**`, across directories. */
const patterns = /[*?]+|\[[^\]/]+\]/

const open = new RegExp(`(?:${gaps.source}|${patterns.source})+`)

/** Half-known text of the walker as a slot; `glob`: its `*`, `?` and `[…]` stand for names. */
export function slotOf(text: string, glob = false): Slot {
  if (text.length === 1 && unknown.test(text)) return unknownSlot
  if (!glob || !patterns.test(text)) {
    if (!isHalfKnown(text)) return known(text)
    const parts = text.split(gaps)
    if (unknown.test(text)) return { parts }
    if (!text.includes(PATH)) return { parts, globbed: true }
    const after = text[text.indexOf(PATH) + 1]
    return { parts, found: after === undefined || after === NAME ? 'part' : 'name' }
  }
  const parts = text.split(open)
  return isHalfKnown(text) || text.includes('**') ? { parts } : { parts, globbed: true }
}

/** How a slot is shown to a person. */
export const showSlot = ({ parts }: Slot): string => parts.join('…')

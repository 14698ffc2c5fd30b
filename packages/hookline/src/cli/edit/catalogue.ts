import { bundles } from '../../builtins/bundles/index.ts'
import { builtins } from '../../builtins/index.ts'
import { columns } from '../text/layout.ts'
import type { Paint } from '../text/paint.ts'

/** Something ready-made that a config can have. */
export interface Offer {
  number: number
  kind: 'bundle' | 'builtin'
  name: string
  doc: string
  /** Where a builtin can be used; the first is where it usually is. */
  events: readonly string[]
}

/** Bundles first: they are what most people want. */
export const catalogue: readonly Offer[] = [
  ...Object.values(bundles).map(({ name, doc }) => ({ kind: 'bundle' as const, name, doc, events: [] })),
  ...Object.values(builtins).map(({ name, doc, events }) => ({ kind: 'builtin' as const, name, doc, events })),
].map((offer, at) => ({ number: at + 1, ...offer }))

/** By name or number. A name that is both means the bundle. */
export function findOffer(word: string): Offer | undefined {
  return catalogue.find(({ number, name }) => String(number) === word || name === word)
}

export function showCatalogue(paint: Paint, width: number): string[] {
  const rows = catalogue.map(({ number, kind, name, doc }) => [
    String(number),
    name,
    paint.dim(kind),
    doc.split('\n')[0]!,
  ])
  return columns(rows, width)
}

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

export type Colour = keyof typeof codes
export type Paint = Readonly<Record<Colour, (text: string) => string>>

/** Colours on a terminal; plain text in a pipe, in a file, on a dumb terminal and wherever NO_COLOR is set (no-color.org). */
export function paintFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Paint {
  const coloured = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  return Object.fromEntries(
    Object.entries(codes).map(([name, [on, off]]) => [
      name,
      (text: string) => (coloured && text !== '' ? `\x1b[${on}m${text}\x1b[${off}m` : text),
    ]),
  ) as Paint
}

/** How wide a line may be: what is read by a program is never wrapped. */
export function widthOf(stream: { isTTY?: boolean; columns?: number }): number {
  return stream.isTTY ? Math.max(40, Math.min(stream.columns || 80, 120)) : Number.POSITIVE_INFINITY
}

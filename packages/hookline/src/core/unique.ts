/** A name that nobody else makes, in the shape of a UUID. Not a secret: those come from `node:crypto`, which takes a start three milliseconds to load. */
export function uniqueName(): string {
  const digits = Array.from({ length: 30 }, () => Math.floor(Math.random() * 16).toString(16)).join('')
  const variant = '89ab'[Math.floor(Math.random() * 4)]
  const [a, b, c, d, e] = [0, 8, 12, 15, 18].map((at, index) => digits.slice(at, at + [8, 4, 3, 3, 12][index]!))
  return `${a}-${b}-4${c}-${variant}${d}-${e}`
}

/** Draws from lists with a small seeded generator (mulberry32): the same seed draws the same. */
export function picker(start: number): <T>(choices: readonly T[]) => T {
  let state = start >>> 0
  return (choices) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return choices[((mixed ^ (mixed >>> 14)) >>> 0) % choices.length]!
  }
}

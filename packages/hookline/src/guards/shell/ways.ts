/** Other names that a line gives to places: nothing on disk shows yet where they lead. */

/** `ln -s ~ y`, `mount --bind ~ y`, `mv ~/work y`: what lies below `at` lies below `to`. */
export interface Way {
  readonly at: string
  readonly to: string
  /** The name itself is the place, and no link to it: whoever deletes it deletes that. */
  readonly whole?: true
}

/** Links to links, as far as anybody would go. */
const MOST_TURNS = 4
/** Every path of the line is held against all of them. */
const MOST_WAYS = 12

/** Where a path leads. A link by itself stays, unless somebody goes through it: `y/`, or a file that is opened. */
export function lead(path: string, ways: readonly Way[], through: boolean): string {
  let found = path
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const way = ways.findLast(
      ({ at, whole }) => found.startsWith(`${at}/`) || ((through || whole === true) && found === at),
    )
    if (!way) break
    const rest = found.slice(way.at.length)
    found = way.to === '/' ? rest || '/' : way.to + rest
  }
  return found
}

/** A place has one name of each spelling; a circle leads nowhere. */
export function withWay(ways: readonly Way[], way: Way): readonly Way[] {
  if (way.at === way.to || way.to.startsWith(`${way.at}/`)) return ways
  return [...ways.filter(({ at }) => at !== way.at), way].slice(-MOST_WAYS)
}

/**
 * Threads and helper processes run a file of their own, which the build puts beside ours. When we run from source,
 * the built file is used.
 */
export function builtEntry(name: string): URL {
  const here = import.meta.url
  return here.endsWith('.ts') ? new URL(`../../dist/${name}.js`, here) : new URL(`./${name}.js`, here)
}

/** A row of a table by a name that comes from the line: `constructor` and its kind are nobody's rows. */
export function lookup<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

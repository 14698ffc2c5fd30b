/** `$NAME` from the environment: what is secret need not be in the store. */
export function withVariables<T extends object>(settings: T): T {
  const read = (value: string) => value.replace(/\$(\w+)/g, (all, name: string) => process.env[name] ?? all)
  const entries = Object.entries(settings).map(([key, value]) => [key, typeof value === 'string' ? read(value) : value])
  return Object.fromEntries(entries) as T
}

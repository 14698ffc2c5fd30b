import { type Dialect, didYouMean, HooklineError, note } from '../core/index.ts'

/** Every dialect, one line each. Loaded only when a config, a hook or a host uses it. */
const dialects: Record<string, () => Promise<Dialect>> = {
  native: async () => (await import('./native/index.ts')).native,
  crush: async () => (await import('./crush/index.ts')).crush,
  'claude-code': async () => (await import('./claude-code/index.ts')).claudeCode,
  'docker-agent': async () => (await import('./docker-agent/index.ts')).dockerAgent,
  everruns: async () => (await import('./everruns/index.ts')).everruns,
  'pydantic-deep': async () => (await import('./pydantic-deep/index.ts')).pydanticDeep,
  starchild: async () => (await import('./starchild/index.ts')).starchild,
}

export { dialectOfDocument, dialectOfFile } from './common/file-names.ts'

export const dialectNames: readonly string[] = Object.keys(dialects)

/** The dialects that one set of hooks knows. */
export interface Dialects {
  names: readonly string[]
  load(name: string): Promise<Dialect>
}

/** Ours, and these beside them; the same name replaces. */
export function withDialects(own: readonly Dialect[] = []): Dialects {
  const all = { ...dialects, ...Object.fromEntries(own.map((dialect) => [dialect.name, async () => dialect])) }
  const names = Object.keys(all)
  // An import of what is loaded already is not free, and every event asks.
  const loaded = new Map<string, Dialect>()
  return {
    names,
    async load(name) {
      const known = loaded.get(name)
      if (known) return known
      const load = Object.hasOwn(all, name) ? all[name] : undefined
      if (load) {
        const dialect = await load()
        loaded.set(name, dialect)
        return dialect
      }
      const hint = didYouMean(name, names)
      throw new HooklineError(note('unknown-dialect', { dialect: name, hint, known: names.join(', ') }))
    },
  }
}

export const ourDialects: Dialects = withDialects()
export const loadDialect = ourDialects.load

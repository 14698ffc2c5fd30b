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
  return {
    names,
    async load(name) {
      const load = Object.hasOwn(all, name) ? all[name] : undefined
      if (load) return load()
      const known = names.join(', ')
      throw new HooklineError(note('unknown-dialect', { dialect: name, hint: didYouMean(name, names), known }))
    },
  }
}

export const ourDialects: Dialects = withDialects()
export const loadDialect = ourDialects.load

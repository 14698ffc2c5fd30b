import type { Dialect } from '../core/index.ts'
import type { Dialects } from '../dialects/index.ts'

export { canaryReason, isCanary } from '../hosts/canary.ts'

/** Foreign agents start programs; only the systems with a dialect are known here. */
export const hostNames: readonly string[] = []
export const loadHost = async (_name: string): Promise<undefined> => undefined
export const dialectNameOf = (name: string): string => name
export const dialectOfHost = (name: string, dialects: Dialects): Promise<Dialect> => dialects.load(name)

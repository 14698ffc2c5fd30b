import type { Bundle } from '../../core/bundle.ts'
import { audit } from './audit.ts'
import { claims } from './claims.ts'
import { quality } from './quality.ts'
import { secrets } from './secrets.ts'
import { security } from './security.ts'

export { type Bundle, type BundleHook, expandBundle, isMuted } from '../../core/bundle.ts'

/** The registry of bundles: one line each. */
const all: readonly Bundle[] = [security, secrets, audit, quality, claims]

export const bundles: Readonly<Record<string, Bundle>> = Object.fromEntries(all.map((bundle) => [bundle.name, bundle]))

/**
 * Secrets in text and in values: find them, replace them. Pure: no I/O, no clock, no platform.
 *
 * text ─ view (colour codes and invisible characters aside) ─ keywords ─ finders ─ union of what they found ─ markers
 */
export { type Sha256, useSha256 } from './checks/encodings.ts'
export { secretsInFile } from './file.ts'
export type { KnownSecret } from './known.ts'
export { MARKER_OPEN, type Marker, plainMarker } from './marker.ts'
export type { Found } from './redact.ts'
export { findSecrets, redactText } from './redact.ts'
export { standsOut } from './stands-out.ts'
export type { Redactor } from './stream.ts'
export { createRedactor } from './stream.ts'
export { redactValue } from './value.ts'

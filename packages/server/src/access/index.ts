export { type Access, nobody, openAccess, type SignedIn, type Token, type Who } from './access.ts'
export { type Oidc, openOidc } from './oidc.ts'
export type { OidcSettings } from './oidc-settings.ts'
export { type Asked, type FindPerson, openProofs, type Proofs } from './proof.ts'

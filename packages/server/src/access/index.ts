export { type Access, nobody, openAccess, type SignedIn, type Token, type Who } from './access.ts'
export { type Asked, openProofs, type Proofs } from './proof.ts'

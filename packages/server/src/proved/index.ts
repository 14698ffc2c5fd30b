export { openProving, type Proved, type Proving, proofStates } from './proved.ts'

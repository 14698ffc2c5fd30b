export { type Assigned, openBundles, type RegisteredBundles } from './bundles.ts'

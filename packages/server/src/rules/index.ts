export { compare } from './compare.ts'
export { changeShape, loosens, type Planned, plan } from './plan.ts'

export { type OutletKindName, outletKindNames, outletKinds } from './kinds.ts'
export { type Outlet, type OutletState, type Outlets, openOutlets } from './outlets.ts'

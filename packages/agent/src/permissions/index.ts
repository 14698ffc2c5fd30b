export { noRules, type PermissionRules } from '../core/index.ts'
export { createPermissions, type PermissionDecision, type PermissionOptions, type Permissions } from './create.ts'

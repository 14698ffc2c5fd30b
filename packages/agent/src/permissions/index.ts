export { noRules, type PermissionRules } from '../core/index.ts'
export {
  createPermissions,
  type PermissionDecision,
  type PermissionMode,
  type PermissionOptions,
  type Permissions,
  permissionModes,
} from './create.ts'

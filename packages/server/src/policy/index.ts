export { openPolicies, type Policies, type PolicyFile, repositoryAt } from './policy.ts'

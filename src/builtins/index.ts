import type { Builtin } from '../core/index.ts'
import { addContext } from './add-context.ts'
import { addDate } from './add-date.ts'
import { addDirectoryListing } from './add-directory-listing.ts'
import { addEnvironmentInfo } from './add-environment-info.ts'
import { addGitDiff } from './add-git-diff.ts'
import { addGitStatus } from './add-git-status.ts'
import { addPromptFiles } from './add-prompt-files.ts'
import { addRecentCommits } from './add-recent-commits.ts'
import { addUserInfo } from './add-user-info.ts'
import { allowReadonly } from './allow-readonly.ts'
import { blockTools } from './block-tools.ts'
import { budgetAlert } from './budget-alert.ts'
import { verifyCodeChanges } from './claims/verify-code-changes.ts'
import { verifyCommitments } from './claims/verify-commitments.ts'
import { verifyPublishClaims } from './claims/verify-publish-claims.ts'
import { formatOnWrite } from './format-on-write.ts'
import { httpPost } from './http-post.ts'
import { injectReminder } from './inject-reminder.ts'
import { limitLargeToolResults } from './limit-large-tool-results.ts'
import { maxIterations } from './max-iterations.ts'
import { notify } from './notify.ts'
import { piiRedactor } from './pii/index.ts'
import { rateLimit } from './rate-limit.ts'
import { redactSecrets } from './redact-secrets.ts'
import { requireTestsOnStop } from './require-tests-on-stop.ts'
import { runtimeFooter } from './runtime-footer.ts'
import { saferShell } from './safer-shell.ts'
import { security } from './security.ts'
import { securityGuard } from './security-guard.ts'
import { selfProtection } from './self-protection.ts'
import { snapshot } from './snapshot/index.ts'
import { toolAuditLog } from './tool-audit-log.ts'
import { unload } from './unload.ts'

/** The registry of builtins, in the order of the documentation: one line each. */
const all = [
  addDate,
  addEnvironmentInfo,
  addPromptFiles,
  addContext,
  addGitStatus,
  addGitDiff,
  addDirectoryListing,
  addUserInfo,
  addRecentCommits,
  maxIterations,
  snapshot,
  limitLargeToolResults,
  unload,
  httpPost,
  saferShell,
  allowReadonly,
  redactSecrets,
  security,
  securityGuard,
  selfProtection,
  blockTools,
  rateLimit,
  toolAuditLog,
  budgetAlert,
  injectReminder,
  runtimeFooter,
  piiRedactor,
  notify,
  verifyPublishClaims,
  verifyCommitments,
  verifyCodeChanges,
  requireTestsOnStop,
  formatOnWrite,
] as readonly unknown[] as readonly Builtin[]

export const builtins: Readonly<Record<string, Builtin>> = Object.fromEntries(
  all.map((builtin) => [builtin.name, builtin]),
)

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
import { atStake } from './at-stake.ts'
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
import { newPackages } from './new-packages.ts'
import { noBypass } from './no-bypass.ts'
import { notify } from './notify.ts'
import { piiRedactor } from './pii-redactor.ts'
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

export { canariesOf } from './canary.ts'
export { noArgs } from './parts.ts'
export { securityDefaults } from './security.ts'
export { openSnapshots, type Snapshots } from './snapshot/index.ts'

/**
 * The registry of builtins, in the order of the documentation: one line each. By name, and looked at when asked for: the
 * command line runs the module of a builtin only then.
 */
const registry = {
  add_date: () => addDate,
  add_environment_info: () => addEnvironmentInfo,
  add_prompt_files: () => addPromptFiles,
  add_context: () => addContext,
  add_git_status: () => addGitStatus,
  add_git_diff: () => addGitDiff,
  add_directory_listing: () => addDirectoryListing,
  add_user_info: () => addUserInfo,
  add_recent_commits: () => addRecentCommits,
  max_iterations: () => maxIterations,
  snapshot: () => snapshot,
  limit_large_tool_results: () => limitLargeToolResults,
  unload: () => unload,
  http_post: () => httpPost,
  safer_shell: () => saferShell,
  at_stake: () => atStake,
  allow_readonly: () => allowReadonly,
  redact_secrets: () => redactSecrets,
  security: () => security,
  security_guard: () => securityGuard,
  self_protection: () => selfProtection,
  no_bypass: () => noBypass,
  new_packages: () => newPackages,
  block_tools: () => blockTools,
  rate_limit: () => rateLimit,
  tool_audit_log: () => toolAuditLog,
  budget_alert: () => budgetAlert,
  inject_reminder: () => injectReminder,
  runtime_footer: () => runtimeFooter,
  pii_redactor: () => piiRedactor,
  notify: () => notify,
  verify_publish_claims: () => verifyPublishClaims,
  verify_commitments: () => verifyCommitments,
  verify_code_changes: () => verifyCodeChanges,
  require_tests_on_stop: () => requireTestsOnStop,
  format_on_write: () => formatOnWrite,
}

export { desktopNotice } from './desktop.ts'

export const builtins = Object.defineProperties(
  {},
  Object.fromEntries(Object.entries(registry).map(([name, get]) => [name, { get, enumerable: true }])),
) as Readonly<Record<string, Builtin>>

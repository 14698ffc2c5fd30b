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
import { httpPost } from './http-post.ts'
import { limitLargeToolResults } from './limit-large-tool-results.ts'
import { maxIterations } from './max-iterations.ts'
import { snapshot } from './snapshot/index.ts'
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
] as readonly unknown[] as readonly Builtin[]

export const builtins: Readonly<Record<string, Builtin>> = Object.fromEntries(
  all.map((builtin) => [builtin.name, builtin]),
)

import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  addRule,
  analyseCommand,
  configTarget,
  configured,
  type Desk,
  describeRule,
  HooklineError,
  homeDirectory,
  type Invocation,
  isAdministrators,
  makeDirectory,
  personAt,
  printable,
  type RuleEntry,
  type RuleTarget,
  stateDirectory,
  type Target,
} from 'hookline/internal'
import type { ApprovalRequest } from '../core/index.ts'
import type { Permissions } from '../permissions/index.ts'
import type { FileChange } from '../tools/index.ts'
import type { Asker } from './activity.ts'
import { usualBundles } from './hooks.ts'

/** A rule that answers this question for good, and where it would be written. */
export interface Lasting {
  /** What it says, and of which file it becomes a part. */
  readonly words: string
  /** Writes it once a person has proven to be one; what came of it. */
  write(desk: Desk): Promise<{ written: boolean; line: string }>
}

/** How to answer a question for good, if there is a way: what an administrator's hook asks has none. */
export const lastingAnswers =
  (permissions: Permissions, cwd: string, invocation: Invocation) =>
  (request: ApprovalRequest, change: FileChange | undefined, askers: readonly Asker[]): Lasting | undefined =>
    askers.some(({ layer }) => layer !== undefined && isAdministrators(layer))
      ? undefined
      : lastingAnswer(
          request,
          permissions.lastingTarget?.({ ...request.call, category: request.category }),
          change,
          cwd,
          invocation,
        )

/** `target`: what the permissions would allow for good. */
function lastingAnswer(
  { call }: ApprovalRequest,
  target: RuleTarget | undefined,
  change: FileChange | undefined,
  cwd: string,
  invocation: Invocation,
): Lasting | undefined {
  const command = call.input['command'] ?? call.input['cmd']
  const about = change ? { write: change.path } : careful(target, typeof command === 'string' ? command : '', cwd)
  if (!about) return undefined
  const rule: RuleEntry = { id: `always-${call.name}`, allow: about }
  const file = configTarget({ user: true, cwd })
  return {
    words: `allow ${printable(describeRule(rule))}, in ${tilde(file.file)}`,
    async write(desk) {
      try {
        if (!(await personAt(invocation, stateDirectory()).confirm(desk)))
          return { written: false, line: 'Nothing was written: nobody confirmed it.' }
        await keepGuards(file, invocation)
        const added = await addRule(file, rule, cwd)
        const what = added.already ? 'has this rule already' : `has a new rule, ${added.rule.id}`
        const waits = added.approved ? '' : ' It counts once the other rules of that file are approved.'
        return { written: true, line: `${tilde(added.file)} ${what}: allow ${printable(describeRule(rule))}.${waits}` }
      } catch (error) {
        if (!(error instanceof HooklineError)) throw error
        return { written: false, line: `Nothing was written: ${error.notes[0]?.message ?? error.message}` }
      }
    },
  }
}

/** Without any config the usual bundles guard a run. The first file must not take them away. */
async function keepGuards({ file, exists }: Target, invocation: Invocation): Promise<void> {
  if (exists) return
  const { files } = await configured(invocation, [], { mayBeNone: true, quiet: true })
  if (files.some(({ text }) => text === undefined)) return
  makeDirectory(dirname(file))
  writeFileSync(file, `version: 1\nuse: [${usualBundles.join(', ')}]\n`, { flag: 'wx' })
}

/** Paths below home are read more easily from there. */
const tilde = (path: string): string =>
  path.startsWith(`${homeDirectory()}/`) ? `~${path.slice(homeDirectory().length)}` : path

/** Of a command that puts something at stake, no other form is allowed for good. */
function careful(target: RuleTarget | undefined, command: string, cwd: string): RuleTarget | undefined {
  if (!target?.run) return target
  const { categories } = analyseCommand({ command, cwd, home: homeDirectory() })
  return categories.every((category) => category === 'unresolved') ? target : { run: command.trim() }
}

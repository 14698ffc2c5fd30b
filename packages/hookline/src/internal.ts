/**
 * The door for Hookline's own packages (@hookline/agent, @hookline/sandbox …), which are installed in exactly this version.
 * It changes without notice: programs use `hookline`. What only the server needs is in `internal-server.ts`, what it needs at once in `internal-start.ts`; what
 * brings much along is loaded when it is first called, because every start of the agent goes through here.
 * @module
 */
export { builtins } from './builtins/index.ts'
export type { AgentPackage, FileCapability } from './cli/agent-package.ts'
export type { NewCase } from './cli/cases/add.ts'
export { isOfRules, rulesIn, rulesOf as placedRules } from './cli/cases/rules.ts'
export type { Expectation, Given } from './cli/cases/schema.ts'
export { defineCommand, type Invocation, readAll, text, texts, UsageError } from './cli/command.ts'
export { show, trustOption } from './cli/commands/dispatch.ts'
export { type Configured, configOptions, configured, hookFlags, workingDirectory } from './cli/configured.ts'
export { type Target, targetOf as configTarget } from './cli/edit/target.ts'
export { stepsOf } from './cli/fold.ts'
export { onInterrupt } from './cli/interrupt.ts'
export { journalFor, journalToRead, partsToRead, sizeOf } from './cli/journal-for.ts'
export { readingOptions, recordingOptions } from './cli/journal-options.ts'
export { projectAt } from './cli/log/filters.ts'
export { isIgnored, makeHistogram } from './cli/log/tally.ts'
export { askOn, personAt, requirePerson } from './cli/person.ts'
export { trustBy } from './cli/prepare-hooks.ts'
export type { Lasting } from './cli/questions/always.ts'
export type { RuleChange, RuleDraft } from './cli/rules/add-rule.ts'
export { idOf as ruleIdOf } from './cli/rules/entry.ts'
export { type Between, standBetween, startBehind } from './cli/stand-between.ts'
export { remarkOn as remarkOnAction } from './cli/text/actions.ts'
export { subjectOf } from './cli/text/entries.ts'
export { describeOpinion, showStep } from './cli/text/explanation.ts'
export { describeMatcher, isWaiting, placeOf, printable, showInspection } from './cli/text/inspection.ts'
export { ago, breadth, columns, count, indent, showsUnicode, wrap } from './cli/text/layout.ts'
export { type Colour, type Paint, paintFor, widthOf } from './cli/text/paint.ts'
export { describeRule, rulingOfEntry } from './cli/text/rules.ts'
export { waitingHooks, waitingNote } from './cli/waiting.ts'
export type { Mark } from './cli/watch/rows.ts'
export { type ConfigFile, layerAt, parseConfig, readText, shortened } from './config/index.ts'
export {
  described,
  didYouMean,
  type EventName,
  type Explanation,
  eventNames,
  eventRow,
  formatNote,
  formatPath,
  formatWhere,
  type Hook,
  HookFailure,
  HooklineError,
  isAdministrators,
  isRecord,
  type Layer,
  mcpServerName,
  type Note,
  notApproved,
  note,
  type Opinion,
  type Payload,
  plainText,
  programPins,
  type ReadableReason,
  type Report,
  type RuleEntry,
  type RuleTarget,
  readableReason,
  sanitise,
  stringifyJson,
  tools as knownTools,
  type Verdict,
  validate,
  type Where,
  withoutTag,
} from './core/index.ts'
export { toJsonSchema } from './core/json-schema.ts'
export { compilePattern, type Pattern } from './core/regex.ts'
export type { AnswerResult, DaemonConnection, DaemonStatus, GivenAnswer, PendingQuestion } from './daemon/index.ts'
export { isAlwaysOn } from './dialects/docker-agent/index.ts'
export { loadDialect } from './dialects/index.ts'
export { isRulesId } from './dialects/native/index.ts'
export { describeThrown } from './executors/calls.ts'
export { fileState, openSessionSnapshots } from './executors/index.ts'
export type { Question } from './executors/model/endpoint.ts'
export { loadSandboxes } from './executors/packages.ts'
export {
  type Entry as SandboxEntry,
  home,
  type Job,
  type Outcome,
  type Pool,
  ready as sandboxReady,
  type Sandbox,
  type Settings as SandboxSettings,
  type Tree,
  threads,
  workspace,
} from './executors/sandbox/job.ts'
export { sandboxPrograms } from './executors/sandbox/programs.ts'
export { shareSessionFiles } from './executors/sandbox/shared.ts'
export {
  type Enrolment,
  fleetDirectory,
  type MachineClient,
  openMachine,
  openShipper,
  readEnrolment,
} from './fleet/index.ts'
export { newKey } from './fleet/new-key.ts'
export { freshenPolicy } from './fleet/renew.ts'
export { checkPath } from './guards/paths/index.ts'
export { createRedactor, type Redactor, redactValue } from './guards/secrets/index.ts'
export { analyseCommand, analyseOnce } from './guards/shell/index.ts'
export { type CodeHook, createHooks, type Hooks, type HooksOptions, loadHooks } from './hooks/index.ts'
export {
  checkLines,
  type Entry,
  endOfJournal,
  type HookEntry,
  type JournalFilter,
  type JournalLine,
  type JournalPosition,
  type JournalRun,
  notificationEntry,
  openJournal,
  readJournalFrom,
  readJournalLine,
  rulesOf,
  type VerifyResult,
  verifyJournal,
} from './journal/index.ts'
export type { Desk, PagePerson } from './person/index.ts'
export {
  type Answer,
  admit,
  type Connections,
  createConnections,
  guardedFetch,
  streamingFetch,
  systemResolve,
} from './platform/http/index.ts'
export {
  adopt,
  dataDirectory,
  findProvider,
  groupRemains,
  guardHost,
  homeDirectory,
  keyOf,
  LockedError,
  loadPackage,
  makeDirectory,
  markVariable,
  needsServer,
  type Provider,
  providers,
  realPath,
  release,
  signalGroup,
  splitModelName,
  stateDirectory,
  sweep,
  takeFileLock,
  userDirectory,
  version,
  withFileLock,
} from './platform/index.ts'
export {
  code as rpcCode,
  failure as rpcFailure,
  type Id as RpcId,
  isRequest,
  isResponse,
  type Link,
  lineLink,
  type Message as RpcMessage,
  makePeer,
  type Peer,
  type Request as RpcRequest,
  type RpcError,
  success as rpcSuccess,
} from './platform/json-rpc/index.ts'
export { endWithHost } from './platform/orphan-reaper/index.ts'
export { type ServerCommand, type ServerProcess, startServer } from './platform/server-process.ts'
export {
  actionsOf,
  type CompiledRule,
  type CompiledRules,
  commandKeys,
  compileRules,
  compileTextRules,
  isOneLine,
  judge,
  literally,
  type Question as RulesQuestion,
  type TextPattern,
  type TextRule,
  textQuestions,
  toolNames,
} from './rules/index.ts'
export {
  type ApprovalQuestion,
  type GuardOptions,
  guardTool,
  type HookSession,
  type JudgedTool,
  type JudgeOptions,
  type ToolOutcome,
} from './seam/index.ts'
export {
  harmlessGit,
  injectingVariable,
  isPlain as isPlainWord,
  listDrivers,
  matchesGlob,
  quoteWord,
  quoteWords,
} from './shell/index.ts'
export {
  type Approvable,
  type Approver,
  type Inspection,
  isCalled,
  isDigest,
  makeToken,
  openSwitch,
  openTrust,
  type Place,
  readPrivate,
  writePrivate,
} from './trust/index.ts'

/** A function of a module that is loaded when somebody first calls it. */
function onCall<M, K extends keyof M>(load: () => Promise<M>, name: K) {
  const call = async (...given: unknown[]) =>
    ((await load())[name] as (...given: unknown[]) => Promise<unknown>)(...given)
  return call as M[K] extends (...given: never[]) => Promise<unknown> ? M[K] : never
}

export const addCase = onCall(() => import('./cli/cases/add.ts'), 'addCase')
export const questionOfGiven = onCall(() => import('./cli/cases/judge.ts'), 'questionOf')
export const maySelfApprove = onCall(() => import('./cli/commands/approve.ts'), 'maySelfApprove')
export const hooksInText = onCall(() => import('./cli/edit/save.ts'), 'hooksOf')
export const unapproved = onCall(() => import('./cli/edit/save.ts'), 'unapproved')
export const writeWhole = onCall(() => import('./cli/edit/save.ts'), 'writeWhole')
export const explainEvent = onCall(() => import('./cli/explain-event.ts'), 'explainEvent')
export const inspectHooks = onCall(() => import('./cli/inspect-hooks.ts'), 'inspectHooks')
export const lastingAnswer = onCall(() => import('./cli/questions/always.ts'), 'lastingAnswer')
export const replayFiles = onCall(() => import('./cli/replay/run.ts'), 'replayFiles')
export const addRule = onCall(() => import('./cli/rules/add-rule.ts'), 'addRule')
export const changeRule = onCall(() => import('./cli/rules/add-rule.ts'), 'changeRule')
export const draftRule = onCall(() => import('./cli/rules/add-rule.ts'), 'draftRule')
export const stakesOfCall = onCall(() => import('./cli/stakes.ts'), 'stakesOfCall')
export const connectDaemon = onCall(() => import('./daemon/index.ts'), 'connectDaemon')
export const hostProgram = onCall(() => import('./install/index.ts'), 'hostProgram')
export const isInstalledFor = onCall(() => import('./install/index.ts'), 'isInstalledFor')

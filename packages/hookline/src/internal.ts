/**
 * The door for Hookline's own packages (@hookline/agent, @hookline/sandbox …), which are installed in exactly this version.
 * It changes without notice: programs use `hookline`.
 * @module
 */
export { builtins } from './builtins/index.ts'
export type { AgentPackage, FileCapability } from './cli/agent-package.ts'
export { defineCommand, type Invocation, readAll, text, texts, UsageError } from './cli/command.ts'
export { show, trustOption } from './cli/commands/dispatch.ts'
export { type Configured, configOptions, configured, hookFlags, workingDirectory } from './cli/configured.ts'
export { unapproved } from './cli/edit/save.ts'
export { type Target, targetOf as configTarget } from './cli/edit/target.ts'
export { stepsOf } from './cli/fold.ts'
export { journalFor, recordingOptions } from './cli/journal-for.ts'
export { askOn, onInterrupt, personAt, requirePerson } from './cli/person.ts'
export { trustBy } from './cli/prepare-hooks.ts'
export { addRule } from './cli/rules/add-rule.ts'
export { describeOpinion, showStep } from './cli/text/explanation.ts'
export { describeMatcher, isWaiting, placeOf, printable, showInspection } from './cli/text/inspection.ts'
export { ago, breadth, columns, count, indent, showsUnicode, wrap } from './cli/text/layout.ts'
export { type Colour, type Paint, paintFor, widthOf } from './cli/text/paint.ts'
export { describeRule } from './cli/text/rules.ts'
export { waitingHooks, waitingNote } from './cli/waiting.ts'
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
  type Hook,
  HookFailure,
  HooklineError,
  isRecord,
  type Layer,
  mcpServerName,
  type Note,
  note,
  type Opinion,
  type Payload,
  plainText,
  programPins,
  type Report,
  type RuleEntry,
  type RuleTarget,
  stringifyJson,
  type Verdict,
  validate,
  type Where,
} from './core/index.ts'
export { toJsonSchema } from './core/json-schema.ts'
export { compilePattern, type Pattern } from './core/regex.ts'
export { isAlwaysOn } from './dialects/docker-agent/index.ts'
export { loadDialect } from './dialects/index.ts'
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
export { checkPath } from './guards/paths/index.ts'
export { createRedactor, type Redactor } from './guards/secrets/index.ts'
export { analyseCommand, analyseOnce } from './guards/shell/index.ts'
export { type CodeHook, createHooks, type Hooks, type HooksOptions } from './hooks/index.ts'
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
export { type ApprovalQuestion, type GuardOptions, guardTool, type ToolOutcome } from './seam/index.ts'
export { matchesGlob } from './shell/index.ts'
export {
  type Approvable,
  type Approver,
  type Inspection,
  isDigest,
  makeToken,
  openTrust,
  type Place,
  readPrivate,
  writePrivate,
} from './trust/index.ts'

import type { Route } from '../http/route.ts'
import * as agents from './agents.ts'
import * as audit from './audit.ts'
import * as bundles from './bundles.ts'
import * as channels from './channels.ts'
import { earlyRoutes } from './early.ts'
import * as hooks from './hooks.ts'
import * as journal from './journal.ts'
import * as machines from './machines.ts'
import * as oidc from './oidc.ts'
import { openApiDocument } from './openapi.ts'
import * as outlets from './outlets.ts'
import * as policy from './policy.ts'
import * as questions from './questions.ts'
import * as replays from './replays.ts'
import * as rules from './rules.ts'
import * as server from './server.ts'
import * as sessions from './sessions.ts'
import * as starchild from './starchild.ts'
import * as switches from './switch.ts'
import * as trying from './try.ts'

/** The table of everything that the server does: one line each. Its key is the name in the OpenAPI document and in clients. */
export const routes: Readonly<Record<string, Route>> = {
  me: server.me,
  events: server.events,
  ...earlyRoutes,
  health: server.health,
  metrics: server.metrics,
  signIn: server.signIn,
  signOut: server.signOut,
  showProvider: oidc.showProvider,
  beginSignIn: oidc.beginSignIn,
  finishSignIn: oidc.finishSignIn,
  listTokens: server.listTokens,
  makeToken: server.makeToken,
  revokeToken: server.revokeToken,
  listAgents: agents.listAgents,
  showAgent: agents.showAgent,
  defineAgent: agents.defineAgent,
  removeAgent: agents.removeAgent,
  showAssigned: bundles.showAssigned,
  assignBundles: bundles.assignBundles,
  listBundles: bundles.listBundles,
  registerBundle: bundles.registerBundle,
  removeBundle: bundles.removeBundle,
  listChannels: channels.listChannels,
  defineChannel: channels.defineChannel,
  removeChannel: channels.removeChannel,
  receiveMessage: channels.receiveMessage,
  confirmChannel: channels.confirmChannel,
  createSession: sessions.createSession,
  listSessions: sessions.listSessions,
  showSession: sessions.showSession,
  deleteSession: sessions.deleteSession,
  promptSession: sessions.promptSession,
  followUpSession: sessions.followUpSession,
  steerSession: sessions.steerSession,
  cancelSession: sessions.cancelSession,
  answerSession: sessions.answerSession,
  forkSession: sessions.forkSession,
  exportSession: sessions.exportSession,
  sessionEvents: sessions.sessionEvents,
  showDecision: journal.showDecision,
  journalState: journal.journalState,
  verifyJournal: journal.verifyDecisions,
  exportJournal: journal.exportJournal,
  listQuestions: questions.listQuestions,
  answeredQuestions: questions.answeredQuestions,
  lastingRule: questions.lastingRule,
  answerQuestion: questions.answerQuestion,
  beginProof: questions.beginProof,
  giveProof: questions.giveProof,
  listProjects: hooks.listProjects,
  listHooks: hooks.listHooks,
  previewRule: rules.previewRule,
  saveRule: rules.saveRule,
  removeRule: rules.removeRule,
  proveHooks: hooks.proveHooks,
  approveHook: hooks.approveHook,
  revokeHook: hooks.revokeHook,
  showSwitch: switches.showSwitch,
  switchHooks: switches.switchHooks,
  muteHook: switches.muteHook,
  unmuteHook: switches.unmuteHook,
  vocabulary: trying.vocabulary,
  explain: trying.explain,
  addCase: trying.saveCase,
  listConfigs: replays.listConfigs,
  startReplay: replays.startReplay,
  listReplays: replays.listReplays,
  showReplay: replays.showReplay,
  cancelReplay: replays.cancelReplay,
  listEnrolments: machines.listEnrolments,
  makeEnrolment: machines.makeEnrolment,
  withdrawEnrolment: machines.withdrawEnrolment,
  enrolMachine: machines.enrolMachine,
  machinePass: machines.machinePass,
  showOwnMachine: machines.showOwnMachine,
  leaveFleet: machines.leaveFleet,
  listMachines: machines.listMachines,
  moveMachine: machines.moveMachine,
  revokeMachine: machines.revokeMachine,
  ownJournal: audit.ownJournal,
  sendJournal: audit.sendJournal,
  showFleet: audit.showFleet,
  wouldBe: audit.wouldBe,
  listAlerts: audit.listAlerts,
  endAlert: audit.endAlert,
  listOutlets: outlets.listOutlets,
  defineOutlet: outlets.defineOutlet,
  removeOutlet: outlets.removeOutlet,
  tryOutlet: outlets.tryOutlet,
  policyFile: policy.policyFile,
  selfApprove: starchild.selfApprove,
  openapi: openApiDocument(() => routes),
}

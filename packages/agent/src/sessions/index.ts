export { exportMarkdown } from './export.ts'
export { findSession, listSessions, removeSession, type SessionSummary } from './list.ts'
export {
  holdSession,
  isSessionId,
  newSessionId,
  openSessionLog,
  type SessionLogOptions,
  sessionsDirectory,
} from './log.ts'
export { readSession } from './read.ts'
export { exportSession, openSessionStore, type SessionStore } from './store.ts'
export { type Transcript, transcriptOf } from './transcript.ts'

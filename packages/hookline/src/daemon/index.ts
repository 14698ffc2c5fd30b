export {
  type AnswerResult,
  answerWords,
  type GivenAnswer,
  type PendingQuestion,
  type Question,
  type QuestionBroker,
  type QuestionChange,
} from './broker.ts'
export { type CallAnswer, decodeAnswer, decodeCall, encodeAnswer, encodeCall, type HostCall } from './call.ts'
export { type ConnectOptions, connectDaemon, type DaemonConnection } from './connect.ts'
export {
  decodeFields,
  encodeFields,
  encodeFrame,
  type Frame,
  FrameError,
  frameReader,
  protocolVersion,
} from './frame.ts'
export { logPath, openLog, readLog } from './log.ts'
export { makeSocketDirectory, socketPath } from './places.ts'
export type { DaemonStatus, Notice, Request, RequestName, Requests, Response, ServedCall } from './protocol.ts'
export { openQuestions } from './questions.ts'
export { type Daemon, type DaemonOptions, type Declined, openDaemon } from './server.ts'

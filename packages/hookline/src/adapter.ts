/**
 * What adapters are made of: one run of an agent in an SDK, and its notes. No `node:*`: it runs wherever an SDK runs. Like
 * `hookline/internal`, it is for our own packages, which are installed in exactly this version.
 * @module
 */
export { type EventName, HooklineError, isRecord, type Note, note, type Verdict } from './core/index.ts'
export {
  type AdapterHooks,
  type AdapterOptions,
  type Ask,
  adapterNotes,
  type Conversation,
  type HostRuling,
  type IdentifiedCall,
  type JudgedTool,
  mayRewriteAnswers,
  openAdapter,
  type RunAbout,
  type Transcript,
  watched,
  withContext,
} from './seam/index.ts'

// Made by `npm run generate` from the routes of the server.
import type { StreamMessage } from './follow.ts'

/** Every route: what it takes, and what it answers with. */
export interface Api {
  /** Who you are here, and what this server is. */
  me: { answer: { name: string; role: "agent" | "viewer" | "operator" | "admin"; version: string; cwd: string; since: string; proven: boolean } }
  /** A stream of what happens (server-sent events). `Last-Event-ID`, or `after`, resumes it without gap or repetition. */
  events: { query?: { after?: string | undefined; types?: string | undefined; session?: string | undefined; attended?: "true" | "false" | undefined }; answer: AsyncGenerator<StreamMessage> }
  /** What was decided, the newest first: by session, agent, host, hook, rule, outcome, tool, project, words or time. */
  listDecisions: { query?: { session?: string | undefined; agent?: string | undefined; machine?: string | undefined; host?: string | undefined; hook?: string | undefined; rule?: string | undefined; outcome?: "allow" | "ask" | "deny" | "halt" | "no-opinion" | "failure" | undefined; mark?: "blocked" | "asked" | "allowed" | "rewritten" | "failed" | "quiet" | undefined; tool?: string | undefined; project?: string | undefined; call?: string | undefined; event?: string | undefined; text?: string | undefined; since?: string | undefined; until?: string | undefined; failed?: "true" | "false" | undefined; all?: "true" | "false" | undefined; limit?: number | undefined; before?: number | undefined; after?: number | undefined }; answer: { decisions: ({ id: number; seq: number; time: string; event: string; outcome: string; mark: "blocked" | "asked" | "allowed" | "rewritten" | "failed" | "quiet"; subject: string; remark: string; reason: string | null; host: string; agent: string | null; session: string | null; project: string | null; tool: string | null; call: string | null; duration_ms: number | null; synthetic: boolean; failed: boolean; failed_open: boolean; machine: string | null })[]; next: number | null } }
  /** Counts of a span of time: decisions, hosts, projects, agents, hooks, rules, and how long deciding took. */
  stats: { query?: { since?: string | undefined; until?: string | undefined }; answer: { since: string; until: string; decisions: Record<string, number>; failed_open: number; duration_ms: { p50: number | null; p99: number | null }; answered: { count: number; mean_ms: number | null }; usage: ({ agent: string; model: string; calls: number; input_tokens: number; output_tokens: number; cost_usd: number | null })[]; hosts: ({ name: string; count: number; blocked: number; asked: number; failed_open: number; last: string })[]; projects: ({ name: string; count: number; blocked: number; asked: number; failed_open: number; last: string })[]; agents: ({ name: string; count: number; blocked: number; asked: number; failed_open: number; last: string })[]; hooks: ({ hook: string; runs: number; failures: number; failed_open: number; denied: number; asked: number; allowed: number; last: string })[]; rules: ({ rule: string; matches: number; denied: number; asked: number; allowed: number; last: string })[] } }
  /** The figure that should be zero: guards that failed and stopped nothing, in the last day. */
  headline: { answer: { failed_open: number } }
  /** The same in equal steps of time, for a chart. */
  series: { query?: { since?: string | undefined; until?: string | undefined; steps?: number | undefined }; answer: { step_ms: number; points: ({ time: string; counts: Record<string, number>; slowest_ms: number | null })[] } }
  /** Whether the server answers, and its index keeps up. */
  health: { answer: { status: "ok" | "degraded" } }
  /** What the server counts, in the text format of Prometheus. */
  metrics: { answer: string }
  /** Signs a browser in with the code of the link that the server printed; once. */
  signIn: { body: { code: string }; answer: { role: "agent" | "viewer" | "operator" | "admin"; proof: string | null } }
  /** Ends the session of this browser. */
  signOut: { answer: { ok: true } }
  /** The identity provider that people can sign in with (OpenID Connect), where the server has one. */
  showProvider: { answer: { provider: string | null } }
  /** Sends a browser to the identity provider; `to` is the page that it comes back to. */
  beginSignIn: { query?: { to?: string | undefined }; answer: string }
  /** Where the identity provider sends the browser back to: signs it in with the role that its claim gives. */
  finishSignIn: { answer: string }
  /** The tokens of programs; their secrets are not kept. */
  listTokens: { answer: { tokens: ({ id: string; name: string; role: "agent" | "viewer" | "operator" | "admin"; created: string; used: string | null })[] } }
  /** Makes a token for a program; its secret is in this answer and nowhere else. */
  makeToken: { body: { name: string; role: "agent" | "viewer" | "operator" | "admin" }; answer: { token: { id: string; name: string; role: "agent" | "viewer" | "operator" | "admin"; created: string; used: string | null }; secret: string } }
  /** Takes a token back; it is refused from now on. */
  revokeToken: { params: { id: string }; answer: { ok: true } }
  /** The agents that sessions can be opened of. `default` is the usual one, where the server was started. */
  listAgents: { answer: { agents: ({ name: string; project: string; settings: { file?: string | undefined; model?: string | undefined; rehearse?: string | undefined; permission_mode?: "plan" | "default" | "accept-edits" | "yolo" | undefined }; by: string; created: string })[] } }
  /** One agent: where it works, its agent file, model and permission mode. */
  showAgent: { params: { name: string }; answer: { name: string; project: string; settings: { file?: string | undefined; model?: string | undefined; rehearse?: string | undefined; permission_mode?: "plan" | "default" | "accept-edits" | "yolo" | undefined }; by: string; created: string } }
  /** Defines an agent: a project, and of it an agent file, a model or a script to rehearse. A permission mode with fewer questions needs proof of a person. */
  defineAgent: { params: { name: string }; body: { project: string; file?: string | undefined; model?: string | undefined; rehearse?: string | undefined; permission_mode?: "plan" | "default" | "accept-edits" | "yolo" | undefined }; answer: { name: string; project: string; settings: { file?: string | undefined; model?: string | undefined; rehearse?: string | undefined; permission_mode?: "plan" | "default" | "accept-edits" | "yolo" | undefined }; by: string; created: string } }
  /** Takes an agent away; its sessions stay. */
  removeAgent: { params: { name: string }; answer: { ok: true } }
  /** Which bundles an agent uses, with which parameters, and what of them is muted. */
  showAssigned: { params: { name: string }; answer: { use: ({ bundle: string; with?: Record<string, unknown> | undefined })[]; disabled: (string)[] } }
  /** Assigns bundles to an agent, for the sessions that are opened from now on, and mutes hooks and rules by id or pattern. What takes away or mutes needs proof of a person. What runs or loosens holds once it is approved: a person who assigns it approves it, else `waits` lists it. */
  assignBundles: { params: { name: string }; body: { use: ({ bundle: string; with?: Record<string, unknown> | undefined })[]; disabled?: (string)[] | undefined }; answer: { waits: ({ id: string; digest: string })[] } }
  /** The bundles that were registered here, with their parameters and the ids of what is in them. */
  listBundles: { answer: { bundles: ({ name: string; doc: string; hooks: (string)[]; parameters: Record<string, unknown> })[] } }
  /** Registers a bundle (`name`, perhaps `doc` and `parameters`, `rules`, `hooks`), as YAML or JSON, or puts it in the place of the one of that name. It is checked first. By itself it changes nothing: agents use it once it is assigned. */
  registerBundle: { body: { text: string }; answer: { name: string; doc: string; hooks: (string)[]; parameters: Record<string, unknown> } }
  /** Takes a bundle away that no agent uses. */
  removeBundle: { params: { name: string }; answer: { ok: true } }
  /** The channels by which people write to agents and answer them, without their secrets. */
  listChannels: { answer: { channels: ({ name: string; kind: "telegram" | "wecom" | "slack" | "webhook"; chats: (string)[]; agent: string; person: boolean; questions: boolean; allow_private_ips: boolean; address: string })[] } }
  /** Sets up a channel (telegram, wecom, slack, webhook): which chats count, which agent answers. `$NAME` in `secret`, `token`, `url` and `aes_key` is put in from the environment. A channel that counts as a person (`person`) needs proof of one. Without a `secret`, one is made and shown once. */
  defineChannel: { params: { name: string }; body: { kind: "telegram" | "wecom" | "slack" | "webhook"; chats: (string)[]; agent?: string | undefined; person?: boolean | undefined; questions?: boolean | undefined; allow_private_ips?: boolean | undefined; secret?: string | undefined; token?: string | undefined; url?: string | undefined; aes_key?: string | undefined }; answer: { channel: { name: string; kind: "telegram" | "wecom" | "slack" | "webhook"; chats: (string)[]; agent: string; person: boolean; questions: boolean; allow_private_ips: boolean; address: string }; secret: string | null } }
  /** Takes a channel away. */
  removeChannel: { params: { name: string }; answer: { ok: true } }
  /** Where a service delivers what people wrote: prompts, answers, `/hooks …`. Its secret or signature is checked, and only chats that count are read. */
  receiveMessage: { params: { name: string }; answer: Record<string, unknown> }
  /** Where a service looks whether the address is right (WeCom). */
  confirmChannel: { params: { name: string }; answer: Record<string, unknown> }
  /** Opens a session of an agent; hooks of `session_start` run. Refused by one of them: its reason. */
  createSession: { body: { agent?: string | undefined; project?: string | undefined; title?: string | undefined }; answer: { id: string; agent: string; project: string; settings: Record<string, unknown>; title: string; by: string; forked_from: string | null; created: string; updated: string; state: "idle" | "working" | "waiting"; turns: ({ id: string; kind: "prompt" | "follow-up"; prompt: string; state: "queued" | "running" | "completed" | "failed" | "canceled"; started: string; ended: string | null; code: string | null; user_message: string | null; response: string | null })[]; asks: ({ id: string; question: string; options: (string)[] })[] } }
  /** The sessions that this server runs, the newest first, with their latest turns. */
  listSessions: { query?: { limit?: number | undefined; before?: number | undefined }; answer: { sessions: ({ id: string; agent: string; project: string; settings: Record<string, unknown>; title: string; by: string; forked_from: string | null; created: string; updated: string; state: "idle" | "working" | "waiting"; turns: ({ id: string; kind: "prompt" | "follow-up"; prompt: string; state: "queued" | "running" | "completed" | "failed" | "canceled"; started: string; ended: string | null; code: string | null; user_message: string | null; response: string | null })[]; asks: ({ id: string; question: string; options: (string)[] })[] })[]; next: number | null } }
  /** One session: whether it works, its turns and what became of each, and what it wants to know. */
  showSession: { params: { id: string }; answer: { id: string; agent: string; project: string; settings: Record<string, unknown>; title: string; by: string; forked_from: string | null; created: string; updated: string; state: "idle" | "working" | "waiting"; turns: ({ id: string; kind: "prompt" | "follow-up"; prompt: string; state: "queued" | "running" | "completed" | "failed" | "canceled"; started: string; ended: string | null; code: string | null; user_message: string | null; response: string | null })[]; asks: ({ id: string; question: string; options: (string)[] })[] } }
  /** Ends a session (hooks of `session_end` run), and deletes what was said in it. The journal stays. */
  deleteSession: { params: { id: string }; answer: { ok: true } }
  /** Begins a turn, which runs by itself: its outcome is `turn.completed`, `turn.failed` (with the hook’s `user_message`) or `turn.canceled` in the stream. Refused while another runs. */
  promptSession: { params: { id: string }; body: { text: string }; answer: { turn: string } }
  /** The same after the turns that are there; begins at once where none runs. */
  followUpSession: { params: { id: string }; body: { text: string }; answer: { turn: string } }
  /** Gives the agent something while it works, at the next opportunity; while it waits, with the next prompt. */
  steerSession: { params: { id: string }; body: { text: string }; answer: { ok: true } }
  /** Stops the turn that runs; the session stays open. */
  cancelSession: { params: { id: string }; answer: { ok: true } }
  /** Answers what the agent wants to know (`asks`). Whether a call may run is answered under `/api/questions`, like that of every agent. */
  answerSession: { params: { id: string }; body: { id: string; text: string }; answer: { ok: true } }
  /** Another session that goes on from here, or from after the first `prompts` prompts. */
  forkSession: { params: { id: string }; body: { prompts?: number | undefined }; answer: { id: string; agent: string; project: string; settings: Record<string, unknown>; title: string; by: string; forked_from: string | null; created: string; updated: string; state: "idle" | "working" | "waiting"; turns: ({ id: string; kind: "prompt" | "follow-up"; prompt: string; state: "queued" | "running" | "completed" | "failed" | "canceled"; started: string; ended: string | null; code: string | null; user_message: string | null; response: string | null })[]; asks: ({ id: string; question: string; options: (string)[] })[] } }
  /** What was said and done in a session, as Markdown or, record by record, as JSON. */
  exportSession: { params: { id: string }; query?: { format?: "markdown" | "json" | undefined }; answer: string }
  /** A stream of everything that happens in a session: `turn.*`, `agent.*`, `hook.*`, `decision`, `question.*`. `Last-Event-ID`, or `after`, resumes it without gap or repetition; `after=0` begins at its beginning. */
  sessionEvents: { params: { id: string }; query?: { after?: string | undefined; types?: string | undefined }; answer: AsyncGenerator<StreamMessage> }
  /** One decision whole: what every hook and rule answered, the payload, and whether its line in the journal is as it was. */
  showDecision: { params: { id: number }; answer: { decision: { id: number; seq: number; time: string; event: string; outcome: string; mark: "blocked" | "asked" | "allowed" | "rewritten" | "failed" | "quiet"; subject: string; remark: string; reason: string | null; host: string; agent: string | null; session: string | null; project: string | null; tool: string | null; call: string | null; duration_ms: number | null; synthetic: boolean; failed: boolean; failed_open: boolean; machine: string | null }; line: "as-indexed" | "changed" | "gone"; hash: string; log: string; entry: Record<string, unknown> | null } }
  /** How far the index has read the journal, and the first thing in it that is not as it was written. */
  journalState: { answer: { file: string; entries: number; broken: { seq: number; detail: string } | null; error: string | null } }
  /** Reads the whole journal, rotated files included, and reports whether every line is as it was written. */
  verifyJournal: { answer: { status: "intact" | "torn" | "tampered" | "truncated" | "missing"; from: number; entries: number; head: string; at?: number | undefined; file?: string | undefined; line?: number | undefined; detail: string; lost: number; recoveries: number; log?: string | undefined } }
  /** The journal as it stands in its file (`jsonl`), or each decision as an event of OCSF (`ocsf`), for a SIEM. With a filter, only what it finds, the newest first. */
  exportJournal: { query?: { session?: string | undefined; agent?: string | undefined; machine?: string | undefined; host?: string | undefined; hook?: string | undefined; rule?: string | undefined; outcome?: "allow" | "ask" | "deny" | "halt" | "no-opinion" | "failure" | undefined; mark?: "blocked" | "asked" | "allowed" | "rewritten" | "failed" | "quiet" | undefined; tool?: string | undefined; project?: string | undefined; call?: string | undefined; event?: string | undefined; text?: string | undefined; since?: string | undefined; until?: string | undefined; failed?: "true" | "false" | undefined; all?: "true" | "false" | undefined; format?: "jsonl" | "ocsf" | undefined }; answer: string }
  /** What agents wait for now, with all that helps to answer. */
  listQuestions: { answer: { connected: boolean; questions: ({ id: string; asked: string; expires: string; host: string; session: string | null; cwd: string; what: string; reason: string; hooks: (string)[]; tool: string; input: Record<string, unknown>; details: Record<string, string>; seen: number })[] } }
  /** Questions of the past, the newest first, and what became of them. */
  answeredQuestions: { query?: { limit?: number | undefined; before?: number | undefined }; answer: { questions: ({ id: string; asked: string; expires: string; host: string; session: string | null; cwd: string; what: string; reason: string; hooks: (string)[]; settled: string; answer: "yes" | "session" | "always" | "no" | null; because: string | null; by: string | null; rule: string | null })[]; next: number | null } }
  /** The rule that the answer `always` would write, and the file; or why there is none. */
  lastingRule: { params: { id: string }; answer: { rule: string | null; file: string | null; impossible: string | null } }
  /** Answers: `yes` once, `session` for the same call in the rest of the session, `always` with a rule, `no` with a reason for the agent. All but `no` need proof of a person. */
  answerQuestion: { params: { id: string }; body: { answer: "yes" | "session" | "always" | "no"; because?: string | undefined }; answer: { ok: true; rule: string | null } }
  /** Begins to prove a person: asks for the passphrase, or for a code that the terminal of the server shows. */
  beginProof: { answer: { proven: boolean; key?: string | undefined; question?: string | undefined; secret?: boolean | undefined; sign_in?: string | undefined } }
  /** What was typed. `proven`: for a quarter of an hour, whoever sends `key` along (`X-Hookline-Proof`) in this session is a person. */
  giveProof: { body: { typed: string }; answer: { proven: boolean; key?: string | undefined; question?: string | undefined; secret?: boolean | undefined; sign_in?: string | undefined } }
  /** The projects in which agents have worked, the latest first; where the server was started is one. */
  listProjects: { answer: { projects: (string)[] } }
  /** Every hook and rule that counts in a project: its layer, whether it is approved, how often it ran, decided and failed in the last week. */
  listHooks: { query?: { project?: string | undefined }; answer: { project: string; hooks: ({ id: string; layer: string; file: string | null; line: number | null; event: string; matcher: string; type: string; mode: string; enabled: boolean; trust: string; waits: boolean; health: "ok" | "failing" | "failed-open" | "waiting" | "off" | "quiet"; digest: string; changes: (string)[]; warnings: (string)[]; refused: (string)[]; approved_at: string | null; proof: { state: "proven" | "answers" | "unproven" | "failed" | "off"; summary: string; at: string } | null; runs: number; denied: number; failures: number; failed_open: number; last: string | null; duration_ms: { p50: number | null; p99: number | null } })[]; rules: ({ id: string; ruling: "allow" | "ask" | "deny"; sentence: string; text: string; because: string | null; layer: string; file: string | null; line: number | null; editable: boolean; proof: { state: "proven" | "answers" | "unproven" | "failed" | "off"; summary: string; at: string } | null; matches: number; last: string | null })[]; notes: ({ code: string; message: string; remedy: string; place: string | null })[] } }
  /** What a rule would change, before it is saved: checked, in words, and tried on what happened in the last week. */
  previewRule: { body: { project?: string | undefined; layer?: "user" | "project" | "local" | undefined; file?: string | undefined; rule?: string | undefined; replaces?: string | undefined }; answer: { sentence: string | null; file: string; before: string; after: string; needs_person: boolean; replayed: number; counts: Record<string, number>; changes: ({ decision: number | null; machine: string | null; time: string; about: string; kind: string; before: string; after: string; reason: string; rules: (string)[]; doubts: (string)[] })[] } }
  /** Adds a rule, or puts it in the place of another (`replaces`); everything else in the file stays, comments included. What may loosen needs proof of a person. */
  saveRule: { body: { project?: string | undefined; layer?: "user" | "project" | "local" | undefined; file?: string | undefined; rule?: string | undefined; replaces?: string | undefined }; answer: { id: string | null; file: string } }
  /** Takes a rule (`replaces`) out of its file; everything else in it stays. */
  removeRule: { body: { project?: string | undefined; file: string; replaces: string }; answer: { id: string | null; file: string } }
  /** Tries every hook and rule of a project on what it is there for: a guard must block its canary. Hooks that are approved run on made-up events, in a copy of the project. */
  proveHooks: { body: { project?: string | undefined }; answer: { ok: true } }
  /** Approves a hook exactly as it was shown (`digest`): after any change it does not run until it is approved again. */
  approveHook: { body: { project?: string | undefined; id: string; digest: string }; answer: { ok: true } }
  /** Takes the approval of a hook back: it no longer runs. */
  revokeHook: { body: { project?: string | undefined; id: string; file?: string | undefined }; answer: { ok: true } }
  /** Whether hooks are on; if not, since when and why. */
  showSwitch: { answer: { on: boolean; since: string | null; note: string | null } }
  /** Switches all hooks on; or off, but for those of the administrator, for so many minutes (a day at most). Off needs proof of a person. */
  switchHooks: { body: { on: boolean; minutes?: number | undefined; reason?: string | undefined }; answer: { ok: true } }
  /** Mutes a hook or rule by id or pattern, in the config of a layer; it mutes its own layer and weaker ones. */
  muteHook: { body: { project?: string | undefined; id: string; layer?: "user" | "project" | "local" | undefined }; answer: { ok: true } }
  /** Takes a hook, rule or pattern out of what is muted, wherever it stands: it runs again. */
  unmuteHook: { body: { project?: string | undefined; id: string }; answer: { ok: true } }
  /** The names of events and tools, as rules, hooks and test cases use them. */
  vocabulary: { answer: { events: (string)[]; tools: (string)[] } }
  /** What a command or any other event would do, which rules and hooks decide about it, and why. Rules and our own guards decide; no other hook runs, unless an administrator who has shown to be a person wants it (`run`). */
  explain: { body: { project?: string | undefined; given: { event?: string | undefined; tool?: string | undefined; command?: string | undefined; input?: Record<string, unknown> | undefined; prompt?: string | undefined; payload?: Record<string, unknown> | undefined; dialect?: "native" | "crush" | "claude-code" | "docker-agent" | "everruns" | "pydantic-deep" | "starchild" | undefined; host?: "claude" | "codex" | "copilot" | "gemini" | "qwen" | "opencode" | "pi" | "cline" | "goose" | "grok" | "cursor" | "vscode" | "windsurf" | "kiro" | "factory" | "antigravity" | "crush" | "docker-agent" | undefined }; run?: boolean | undefined }; answer: { project: string; event: string; payload: Record<string, unknown>; actions: ({ kind: string; shown: string; remark: string })[]; complete: boolean; doubt: string | null; at_stake: ({ row: string; means: string; reason: string; radius: string })[]; rules: ({ id: string; ruling: "allow" | "ask" | "deny"; layer: string; where: { file: string; line?: number | undefined; column?: number | undefined } | null; match: "decides" | "overruled" | "waits" | "none" })[]; hooks: ({ id: string; event: string; type: string; layer: string; where: { file: string; line?: number | undefined; column?: number | undefined } | null; stage: number; mode: string; runs: boolean; why: string | null; untrusted: string | null; matcher: ({ looks_at: string; for: string; saw: (string)[]; passes: boolean })[] })[]; fold: ({ hook: string; outcome: string | null; said: Record<string, unknown> | null; rules: (string)[]; failure: string | null; counts: boolean; so_far: Record<string, unknown> })[]; unknown: (string)[]; decision: { ruling: string; reason?: string | undefined } | null; by: (string)[]; notes: (string)[] } }
  /** Writes down what was tried as a test case of the project, for `hookline test`; comments in the file stay. */
  addCase: { body: { project?: string | undefined; name: string; given: { event?: string | undefined; tool?: string | undefined; command?: string | undefined; input?: Record<string, unknown> | undefined; prompt?: string | undefined; payload?: Record<string, unknown> | undefined; dialect?: "native" | "crush" | "claude-code" | "docker-agent" | "everruns" | "pydantic-deep" | "starchild" | undefined; host?: "claude" | "codex" | "copilot" | "gemini" | "qwen" | "opencode" | "pi" | "cline" | "goose" | "grok" | "cursor" | "vscode" | "windsurf" | "kiro" | "factory" | "antigravity" | "crush" | "docker-agent" | undefined }; expect: { decision?: "allow" | "ask" | "deny" | "none" | undefined; rule?: string | (string)[] | undefined; reason?: string | undefined; halt?: boolean | string | undefined; rewrite?: unknown | undefined; context?: string | (string)[] | undefined; message?: string | (string)[] | undefined; metadata?: Record<string, string> | undefined; asked?: string | (string)[] | undefined; not_asked?: string | (string)[] | undefined; failed?: string | (string)[] | undefined } }; answer: { file: string; name: string } }
  /** The config files of a project that a person may change, as they are written; and the policies of the fleet that may be signed, by group. */
  listConfigs: { query?: { project?: string | undefined }; answer: { project: string; files: ({ file: string; layer: string; text: string; group?: string | undefined })[] } }
  /** Replays a span of the journal against a candidate config, without running anything, and goes on by itself; without a candidate, the config as it is now is compared with what was decided then. */
  startReplay: { body: { project?: string | undefined; candidate?: { file: string; text: string } | undefined; policy?: { group?: string | undefined; text?: string | undefined } | undefined; since?: string | undefined; until?: string | undefined; everywhere?: boolean | undefined; limit?: number | undefined }; answer: { id: string; state: "running" | "done" | "failed" | "canceled"; project: string; started: string; ended: string | null; done: number; of: number; problem: string | null; result: { from: string | null; to: string | null; replayed: number; counts: Record<string, number>; changes: ({ decision: number | null; machine: string | null; time: string; about: string; kind: string; before: string; after: string; reason: string; rules: (string)[]; doubts: (string)[] })[]; not_replayed: Record<string, number>; impossible: Record<string, number> } | null } }
  /** The last replays of this server, the newest first, without what they found. */
  listReplays: { answer: { replays: ({ id: string; state: "running" | "done" | "failed" | "canceled"; project: string; started: string; ended: string | null; done: number; of: number; problem: string | null })[] } }
  /** How far a replay is, and what it found. */
  showReplay: { params: { id: string }; answer: { id: string; state: "running" | "done" | "failed" | "canceled"; project: string; started: string; ended: string | null; done: number; of: number; problem: string | null; result: { from: string | null; to: string | null; replayed: number; counts: Record<string, number>; changes: ({ decision: number | null; machine: string | null; time: string; about: string; kind: string; before: string; after: string; reason: string; rules: (string)[]; doubts: (string)[] })[]; not_replayed: Record<string, number>; impossible: Record<string, number> } | null } }
  /** Ends a replay that runs. */
  cancelReplay: { params: { id: string }; answer: { ok: true } }
  /** The tokens by which machines may join, and how often each still works; their secrets are not kept. */
  listEnrolments: { answer: { enrolments: ({ id: string; group: string; left: number; created: string; expires: string })[] } }
  /** Makes a token for `hookline enroll`: for one machine and a day, unless you say otherwise. It is shown once. `root` is the digest of the policy’s root that is published here, for `--root`. */
  makeEnrolment: { body: { group?: string | undefined; uses?: number | undefined; hours?: number | undefined }; answer: { enrolment: { id: string; group: string; left: number; created: string; expires: string }; secret: string; root: string | null } }
  /** Takes an enrolment token back; machines that joined by it stay. */
  withdrawEnrolment: { params: { id: string }; answer: { ok: true } }
  /** A machine joins: with an enrolment token, and a JWT that its new key has signed and that carries its public half. */
  enrolMachine: { body: { token: string; proof: string; name: string; version: string }; answer: { id: string; name: string; group: string; version: string; enrolled: string; seen: string | null; revoked: string | null; policy: { version: number; state: "fine" | "refused" | "stale" | "broken" | "none" } | null } }
  /** The machines of the fleet: group, version, policy in force, when each was last seen, and whether it was revoked. */
  listMachines: { answer: { machines: ({ id: string; name: string; group: string; version: string; enrolled: string; seen: string | null; revoked: string | null; policy: { version: number; state: "fine" | "refused" | "stale" | "broken" | "none" } | null })[] } }
  /** A pass of some minutes for a machine that proves to have its key: by a JWT of its own, which works once. */
  machinePass: { body: { proof: string }; answer: { token: string; expires_in: number } }
  /** What the server knows of the machine that asks. */
  showOwnMachine: { answer: { id: string; name: string; group: string; version: string; enrolled: string; seen: string | null; revoked: string | null; policy: { version: number; state: "fine" | "refused" | "stale" | "broken" | "none" } | null } }
  /** The machine that asks leaves: its key counts no longer. */
  leaveFleet: { answer: { ok: true } }
  /** Moves a machine into another group. */
  moveMachine: { params: { id: string }; body: { group: string }; answer: { id: string; name: string; group: string; version: string; enrolled: string; seen: string | null; revoked: string | null; policy: { version: number; state: "fine" | "refused" | "stale" | "broken" | "none" } | null } }
  /** Revokes a machine: it is refused from now on, and joins again only with a new token. */
  revokeMachine: { params: { id: string }; answer: { ok: true } }
  /** How far the server has a journal of the machine that asks: the next line that it wants. */
  ownJournal: { query: { log: string; time?: number | undefined }; answer: { seq: number; group: string } }
  /** Takes the next lines of a journal of the machine that sends them (JSON lines, gzip), checked against its chain. 409: they do not follow from what is here, and `seq` says what does; 429: later. */
  sendJournal: { query: { log: string; seq: number; unsent?: number | undefined; time?: number | undefined; gap?: "true" | "false" | undefined }; answer: { seq: number; group: string } }
  /** Every machine, and how its audit stands: what it has not sent yet, what is missing or was changed, how far its clock is off, which went quiet, and which policy is in force there; `published` is the one that should be. */
  showFleet: { answer: { machines: ({ id: string; name: string; group: string; version: string; revoked: boolean; heard: string | null; last_event: string | null; entries: number; unsent: number; missing: number; skew_ms: number; state: "fine" | "behind" | "skewed" | "quiet" | "never" | "gap" | "tampered" | "revoked"; broken: { log: string; seq: number; detail: string } | null; policy: { version: number; state: "fine" | "refused" | "stale" | "broken" | "none" } | null })[]; alerts: number; published: number | null } }
  /** What would have been blocked or asked about on the machines of the fleet, had rules and hooks that only watch (`mode: shadow`) counted: for each, how often, on how many machines, and the last time. */
  wouldBe: { query?: { since?: string | undefined; group?: string | undefined }; answer: { rules: ({ id: string; outcome: string; count: number; machines: number; failed: boolean; last: string })[]; hooks: ({ id: string; outcome: string; count: number; machines: number; failed: boolean; last: string })[] } }
  /** What somebody should look at, the newest first; with `all`, also what is over. */
  listAlerts: { query?: { all?: "true" | "false" | undefined; limit?: number | undefined }; answer: { alerts: ({ id: string; kind: "failed-open" | "tampering" | "gap" | "quiet" | "no-events" | "unmatched" | "drift" | "skew"; title: string; severity: number; about: string; detail: string; raised: string; last: string; count: number; ended: string | null })[] } }
  /** Somebody has looked at it: the alert is over. Where it is still so, it is raised again. */
  endAlert: { params: { id: string }; answer: { ok: true } }
  /** Where alerts and decisions go, how far each is behind, and why the last attempt failed. Addresses may hold secrets, and are not shown. */
  listOutlets: { answer: { outlets: ({ name: string; kind: "webhook" | "slack" | "mail" | "syslog"; alerts: boolean; decisions: "none" | "notable" | "all"; allow_private_ips: boolean; behind: number; error: string | null })[] } }
  /** Sets an outlet up: a webhook (JSON, or OCSF in JSON lines), Slack, mail, or a SIEM (CEF over syslog). `$NAME` stands for a variable of the environment of the server. */
  defineOutlet: { params: { name: string }; body: { kind: "webhook" | "slack" | "mail" | "syslog"; alerts?: boolean | undefined; decisions?: "none" | "notable" | "all" | undefined; allow_private_ips?: boolean | undefined; settings: { url: string; secret?: string | undefined; from?: string | undefined; to?: string | undefined; format?: "json" | "ocsf" | undefined } }; answer: { ok: true } }
  /** Nothing goes there any more. */
  removeOutlet: { params: { name: string }; answer: { ok: true } }
  /** Sends an alert there that says that it is a trial. */
  tryOutlet: { params: { name: string }; answer: { ok: true } }
  /** A file of the policy’s repository. With `If-None-Match` and `Prefer: wait=<seconds>`, the answer waits until it is another. */
  policyFile: { params: { path: string }; answer: string }
  /** Starchild’s way for an agent to approve its own hooks: on this machine alone, and only with `trust: { self_approve: loopback }`; else not found. */
  selfApprove: { body: { command: string; enable_master?: boolean | undefined }; answer: { ok: true; events: (string)[]; mounted: number; master_enabled: boolean } }
  /** This API, as an OpenAPI 3.1 document. */
  openapi: { answer: Record<string, unknown> }
}

/** How each is called. */
export const operations = {
  me: { method: 'GET', path: '/api/me', type: 'json' },
  events: { method: 'GET', path: '/api/events', type: 'stream' },
  listDecisions: { method: 'GET', path: '/api/decisions', type: 'json' },
  stats: { method: 'GET', path: '/api/stats', type: 'json' },
  headline: { method: 'GET', path: '/api/stats/headline', type: 'json' },
  series: { method: 'GET', path: '/api/stats/series', type: 'json' },
  health: { method: 'GET', path: '/healthz', type: 'json' },
  metrics: { method: 'GET', path: '/metrics', type: 'text' },
  signIn: { method: 'POST', path: '/api/sign-in', type: 'json' },
  signOut: { method: 'POST', path: '/api/sign-out', type: 'json' },
  showProvider: { method: 'GET', path: '/api/oidc', type: 'json' },
  beginSignIn: { method: 'GET', path: '/api/oidc/sign-in', type: 'text' },
  finishSignIn: { method: 'GET', path: '/api/oidc/callback', type: 'text' },
  listTokens: { method: 'GET', path: '/api/tokens', type: 'json' },
  makeToken: { method: 'POST', path: '/api/tokens', type: 'json' },
  revokeToken: { method: 'DELETE', path: '/api/tokens/{id}', type: 'json' },
  listAgents: { method: 'GET', path: '/api/agents', type: 'json' },
  showAgent: { method: 'GET', path: '/api/agents/{name}', type: 'json' },
  defineAgent: { method: 'PUT', path: '/api/agents/{name}', type: 'json' },
  removeAgent: { method: 'DELETE', path: '/api/agents/{name}', type: 'json' },
  showAssigned: { method: 'GET', path: '/api/agents/{name}/bundles', type: 'json' },
  assignBundles: { method: 'PUT', path: '/api/agents/{name}/bundles', type: 'json' },
  listBundles: { method: 'GET', path: '/api/bundles', type: 'json' },
  registerBundle: { method: 'POST', path: '/api/bundles', type: 'json' },
  removeBundle: { method: 'DELETE', path: '/api/bundles/{name}', type: 'json' },
  listChannels: { method: 'GET', path: '/api/channels', type: 'json' },
  defineChannel: { method: 'PUT', path: '/api/channels/{name}', type: 'json' },
  removeChannel: { method: 'DELETE', path: '/api/channels/{name}', type: 'json' },
  receiveMessage: { method: 'POST', path: '/channels/{name}', type: 'json' },
  confirmChannel: { method: 'GET', path: '/channels/{name}', type: 'json' },
  createSession: { method: 'POST', path: '/api/sessions', type: 'json' },
  listSessions: { method: 'GET', path: '/api/sessions', type: 'json' },
  showSession: { method: 'GET', path: '/api/sessions/{id}', type: 'json' },
  deleteSession: { method: 'DELETE', path: '/api/sessions/{id}', type: 'json' },
  promptSession: { method: 'POST', path: '/api/sessions/{id}/prompt', type: 'json' },
  followUpSession: { method: 'POST', path: '/api/sessions/{id}/follow-up', type: 'json' },
  steerSession: { method: 'POST', path: '/api/sessions/{id}/steer', type: 'json' },
  cancelSession: { method: 'POST', path: '/api/sessions/{id}/cancel', type: 'json' },
  answerSession: { method: 'POST', path: '/api/sessions/{id}/answer', type: 'json' },
  forkSession: { method: 'POST', path: '/api/sessions/{id}/fork', type: 'json' },
  exportSession: { method: 'GET', path: '/api/sessions/{id}/export', type: 'text' },
  sessionEvents: { method: 'GET', path: '/api/sessions/{id}/events', type: 'stream' },
  showDecision: { method: 'GET', path: '/api/decisions/{id}', type: 'json' },
  journalState: { method: 'GET', path: '/api/journal', type: 'json' },
  verifyJournal: { method: 'POST', path: '/api/journal/verify', type: 'json' },
  exportJournal: { method: 'GET', path: '/api/journal/export', type: 'text' },
  listQuestions: { method: 'GET', path: '/api/questions', type: 'json' },
  answeredQuestions: { method: 'GET', path: '/api/questions/history', type: 'json' },
  lastingRule: { method: 'GET', path: '/api/questions/{id}/always', type: 'json' },
  answerQuestion: { method: 'POST', path: '/api/questions/{id}/answer', type: 'json' },
  beginProof: { method: 'POST', path: '/api/proof', type: 'json' },
  giveProof: { method: 'POST', path: '/api/proof/answer', type: 'json' },
  listProjects: { method: 'GET', path: '/api/projects', type: 'json' },
  listHooks: { method: 'GET', path: '/api/hooks', type: 'json' },
  previewRule: { method: 'POST', path: '/api/rules/preview', type: 'json' },
  saveRule: { method: 'POST', path: '/api/rules', type: 'json' },
  removeRule: { method: 'POST', path: '/api/rules/remove', type: 'json' },
  proveHooks: { method: 'POST', path: '/api/hooks/prove', type: 'json' },
  approveHook: { method: 'POST', path: '/api/hooks/approve', type: 'json' },
  revokeHook: { method: 'POST', path: '/api/hooks/revoke', type: 'json' },
  showSwitch: { method: 'GET', path: '/api/hooks/switch', type: 'json' },
  switchHooks: { method: 'POST', path: '/api/hooks/switch', type: 'json' },
  muteHook: { method: 'POST', path: '/api/hooks/mute', type: 'json' },
  unmuteHook: { method: 'POST', path: '/api/hooks/unmute', type: 'json' },
  vocabulary: { method: 'GET', path: '/api/vocabulary', type: 'json' },
  explain: { method: 'POST', path: '/api/explain', type: 'json' },
  addCase: { method: 'POST', path: '/api/cases', type: 'json' },
  listConfigs: { method: 'GET', path: '/api/configs', type: 'json' },
  startReplay: { method: 'POST', path: '/api/replays', type: 'json' },
  listReplays: { method: 'GET', path: '/api/replays', type: 'json' },
  showReplay: { method: 'GET', path: '/api/replays/{id}', type: 'json' },
  cancelReplay: { method: 'DELETE', path: '/api/replays/{id}', type: 'json' },
  listEnrolments: { method: 'GET', path: '/api/enrolments', type: 'json' },
  makeEnrolment: { method: 'POST', path: '/api/enrolments', type: 'json' },
  withdrawEnrolment: { method: 'DELETE', path: '/api/enrolments/{id}', type: 'json' },
  enrolMachine: { method: 'POST', path: '/api/machines', type: 'json' },
  listMachines: { method: 'GET', path: '/api/machines', type: 'json' },
  machinePass: { method: 'POST', path: '/api/machines/pass', type: 'json' },
  showOwnMachine: { method: 'GET', path: '/api/machines/me', type: 'json' },
  leaveFleet: { method: 'DELETE', path: '/api/machines/me', type: 'json' },
  moveMachine: { method: 'PUT', path: '/api/machines/{id}', type: 'json' },
  revokeMachine: { method: 'DELETE', path: '/api/machines/{id}', type: 'json' },
  ownJournal: { method: 'GET', path: '/api/machines/me/journal', type: 'json' },
  sendJournal: { method: 'POST', path: '/api/machines/me/journal', type: 'json' },
  showFleet: { method: 'GET', path: '/api/fleet', type: 'json' },
  wouldBe: { method: 'GET', path: '/api/fleet/shadow', type: 'json' },
  listAlerts: { method: 'GET', path: '/api/alerts', type: 'json' },
  endAlert: { method: 'POST', path: '/api/alerts/{id}/end', type: 'json' },
  listOutlets: { method: 'GET', path: '/api/outlets', type: 'json' },
  defineOutlet: { method: 'PUT', path: '/api/outlets/{name}', type: 'json' },
  removeOutlet: { method: 'DELETE', path: '/api/outlets/{name}', type: 'json' },
  tryOutlet: { method: 'POST', path: '/api/outlets/{name}/try', type: 'json' },
  policyFile: { method: 'GET', path: '/policy/{path}', type: 'text' },
  selfApprove: { method: 'POST', path: '/internal/runtime/hooks/approve', type: 'json' },
  openapi: { method: 'GET', path: '/api/openapi.json', type: 'json' },
} as const satisfies Record<keyof Api, { method: string; path: string; type: string }>

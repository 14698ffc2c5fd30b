import { HooklineError, note } from 'hookline/internal/start'
import { type Dialect, one, type Sql } from './sql.ts'

/** What makes a table; where the databases differ in more than types, one text for each. */
type Definition = string | Readonly<Record<Dialect['name'], string>>

/** What the store looks like, step by step; each step runs once. A step that was released is never changed. */
const steps: readonly (readonly Definition[])[] = [
  [
    // How far the index has read each journal, and the first thing that was wrong with it.
    `create table journals (
      log text primary key, file text not null, part integer not null, at_offset integer not null, seq integer not null,
      head text not null, broken_seq integer, broken_detail text)`,
    // One row for each entry of the journal: enough to find and list it. All of it is in the journal, at its place.
    `create table entries (
      id integer primary key, log text not null, part integer not null, at_offset integer not null, bytes integer not null,
      seq integer not null, hash text not null, time integer not null, event text not null, outcome text not null,
      session text, turn text, agent text, host text not null, project text, tool text, call text, subject text not null,
      mark text not null, shown integer not null, remark text not null, reason text, duration real,
      synthetic integer not null, failed integer not null, failed_open integer not null)`,
    'create index entries_time on entries (time)',
    'create index entries_session on entries (session, id)',
    'create index entries_outcome on entries (outcome, id)',
    'create index entries_subject on entries (subject)',
    'create index entries_failed on entries (failed_open, id) where failed_open > 0',
    // Which hooks ran and which rules matched, for counting and finding.
    `create table hook_runs (
      entry integer not null, hook text not null, outcome text, duration real, failure text, ignored integer not null,
      shadow integer not null, time integer not null)`,
    'create index hook_runs_hook on hook_runs (hook, entry)',
    'create index hook_runs_time on hook_runs (time)',
    `create table rule_matches (
      entry integer not null, rule text not null, outcome text, shadow integer not null, time integer not null)`,
    'create index rule_matches_rule on rule_matches (rule, entry)',
    'create index rule_matches_time on rule_matches (time)',
    {
      sqlite: `create virtual table entry_text using fts5(body, content='', tokenize="unicode61 tokenchars '-_'")`,
      postgres: 'create table entry_text (rowid bigint primary key, body tsvector not null)',
    },
    { sqlite: '', postgres: 'create index entry_text_body on entry_text using gin (body)' },
    // What streams send: its number is the id to resume from. Decisions are sent from their entries; older servers wrote a row for each here, too.
    'create table events (id integer primary key, time integer not null, type text not null, entry integer, data text)',
    // Who may use the server. Secrets are kept as digests.
    `create table sessions (
      digest text primary key, key_digest text not null, role text not null, name text not null, created integer not null,
      expires integer not null)`,
    `create table tokens (
      id text primary key, digest text not null unique, name text not null, role text not null, created integer not null,
      used integer)`,
    // What was answered to a request that must not happen twice.
    `create table repeats (
      key text primary key, request text not null, status integer, body text, created integer not null)`,
    // Questions that waited, and what became of them.
    `create table questions (
      id text primary key, asked integer not null, expires integer not null, settled integer, host text not null,
      session text, cwd text not null, what text not null, reason text not null, hooks text not null, answer text,
      because text, answered_by text, rule text)`,
    'create index questions_asked on questions (asked)',
  ],
  [
    // Who is signed in, and what was answered to whom, is known in memory alone.
    'drop table sessions',
    'drop table repeats',
    'create table repeats (key text primary key, request text not null, status integer, created integer not null)',
  ],
  [
    // Agents that sessions are made of, the sessions, and their turns. What was said is in the log of each session.
    `create table agents (
      name text primary key, project text not null, settings text not null, made_by text not null, created integer not null)`,
    `create table agent_sessions (
      id text primary key, agent text not null, project text not null, settings text not null, title text not null,
      made_by text not null, forked_from text, created integer not null, updated integer not null)`,
    `create table turns (
      id text primary key, session text not null, kind text not null, prompt text not null, state text not null,
      started integer not null, ended integer, code text, user_message text, response text)`,
    'create index turns_session on turns (session, started)',
    'alter table events add column session text',
  ],
  [
    // Ways by which people write to agents, and which session a chat is about.
    'create table channels (name text primary key, definition text not null)',
    'create table channel_chats (channel text not null, chat text not null, session text not null, primary key (channel, chat))',
    'create index channel_chats_session on channel_chats (session)',
  ],
  [
    // How far others have been sent what happened: the number of the last event.
    'create table exports (name text primary key, event integer not null)',
    // What doctor found out about the hooks of a project, when it was asked last.
    'create table proved (project text primary key, time integer not null, result text not null)',
    // What models were paid for, among all events.
    "create index events_usage on events (time) where type = 'agent.usage'",
    // What statistics count, without the rest of each row.
    `create index entries_counted on entries (time, mark, host, project, agent, duration, failed_open)
      where synthetic = 0 and shown = 1`,
  ],
  [
    // The number of the last event: whoever writes events takes theirs from here, one after the other, also among several servers.
    'create table counters (name text primary key, value integer not null)',
    "insert into counters (name, value) select 'events', coalesce(max(id), 0) from events",
    // Which number was the last at a time, by the clock of the store's servers: what is older than so many days is known by it.
    'create table marks (time integer primary key, last integer not null)',
    // Servers that use the store, and when each was last heard of; whose questions and turns are whose.
    'create table servers (id text primary key, name text not null, started integer not null, seen integer not null)',
    'alter table questions add column server text',
    'alter table turns add column server text',
  ],
  [
    // Machines of the fleet, by their public keys, and the tokens by which they join: of these, digests.
    `create table enrolments (
      id text primary key, digest text not null unique, group_name text not null, left_uses integer not null,
      created integer not null, expires integer not null)`,
    `create table machines (
      id text primary key, name text not null, group_name text not null, public_key text not null unique,
      version text not null, enrolled integer not null, seen integer, revoked integer, enrolment text not null)`,
  ],
  [
    // Whose entry it is, where it came from a machine of the fleet; and its line, as that machine wrote it.
    'alter table entries add column machine text',
    'create index entries_machine on entries (machine, id)',
    'create table lines (entry integer primary key, line text not null)',
    // How far each machine has sent each of its journals, checked; what was wrong with them, and what it says of itself.
    `create table machine_logs (
      machine text not null, log text not null, seq integer not null, head text not null, entries integer not null,
      missing integer not null, broken_seq integer, broken_detail text, last_time integer, received integer not null,
      unsent integer not null, skew integer not null, primary key (machine, log))`,
    // Where the journal of a machine has a hole, and why.
    `create table machine_gaps (
      machine text not null, log text not null, seq integer not null, missing integer not null, detail text not null,
      time integer not null, primary key (machine, log, seq))`,
    // What somebody should look at; one row as long as it is so.
    `create table alerts (
      id text primary key, kind text not null, about text not null, detail text not null, raised integer not null,
      last integer not null, count integer not null, ended integer)`,
    'create index alerts_about on alerts (kind, about)',
    // Where alerts and decisions go, up to which event each has them, and which server sends.
    `create table outlets (
      name text primary key, definition text not null, position integer not null, error text, server text)`,
  ],
  [
    // Nobody looks for a subject by its whole text.
    'drop index entries_subject',
  ],
  [
    // Which policy a machine says to be in force there, and what is wrong with it.
    'alter table machines add column policy integer',
    'alter table machines add column policy_state text',
  ],
]

/** How many steps there are. */
export const latest = steps.length

/**
 * Step by step up to the latest, each whole or not at all. Servers that start at the same time wait for one another; one that was killed in the middle
 * is resumed by the next. A store of a later version is refused: an older server would write into tables that it does not know.
 */
export async function migrate(sql: Sql, upTo = latest): Promise<void> {
  const { lock, define, name } = sql.dialect
  for (let isDone = false; !isDone; )
    isDone = await sql.transaction(async (within) => {
      if (lock !== undefined) await within.all(lock)
      await within.run('create table if not exists meta (name text primary key, value text not null)')
      const row = await one<{ value: string }>(within, "select value from meta where name = 'version'")
      const at = Number(row?.value ?? 0)
      if (at > latest) throw new HooklineError(note('database-newer', { version: at, latest }))
      if (at >= upTo) return true
      const texts = steps[at]!.map((each) => (typeof each === 'string' ? each : each[name]))
      for (const text of texts) if (text !== '') await within.run(define(text))
      await within.run(
        "insert into meta (name, value) values ('version', $1) on conflict (name) do update set value = excluded.value",
        [String(at + 1)],
      )
      return false
    })
}

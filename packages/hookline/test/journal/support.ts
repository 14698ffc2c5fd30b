import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Note, Verdict } from '../../src/core/index.ts'
import { type Entry, type EntryInput, entryOf, type JournalOptions, openJournal } from '../../src/journal/index.ts'
import { bundle } from '../support/bundle.ts'
import { remove } from '../support/scratch.ts'

const directories: string[] = []
afterAll(() => {
  for (const directory of directories) remove(directory)
})

/** A path for a journal, in a directory that does not exist yet. */
export function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-journal-'))
  directories.push(directory)
  return join(directory, 'state', 'journal.jsonl')
}

export const verdict = (over: Partial<Verdict> = {}): Verdict => ({
  event: 'pre_tool_use',
  payload: { session_id: 's1', turn_id: 't1', tool_name: 'shell', tool_use_id: 'c1', tool_input: { command: 'ls' } },
  reports: [{ hook: 'guard', stage: 0, asked: true, outcome: 'no-opinion', durationMs: 1.5, exit: 0 }],
  notes: [],
  ...over,
})

export const entry = (number: number, over: Partial<EntryInput> = {}): EntryInput => ({
  ...entryOf(verdict(), {
    time: new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString(),
    dispatch: `d${number}`,
    generation: 1,
    synthetic: false,
  }),
  ...over,
})

/** Tests of the chain need no redaction; it has tests of its own. */
export const plain = { redact: (value: EntryInput) => value } satisfies JournalOptions

export async function writeJournal(file: string, count: number, options: JournalOptions = {}): Promise<void> {
  const journal = await openJournal({ file, durability: 'none', ...plain, ...options })
  for (let number = 1; number <= count; number++) await journal.append(entry(number))
  await journal.close()
}

/** A journal that collects its notes. */
export async function openNoted(options: JournalOptions) {
  const notes: Note[] = []
  const journal = await openJournal({ durability: 'none', ...plain, onNote: (note) => notes.push(note), ...options })
  return { journal, notes, codes: () => notes.map(({ code }) => code) }
}

export const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n')
export const recordsOf = (file: string) => linesOf(file).map((line) => JSON.parse(line))

export async function collect(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const all: Entry[] = []
  for await (const one of entries) all.push(one)
  return all
}

const program = await bundle('./writer.ts', import.meta.url)

/** Another process that appends; see writer.ts. `shell` wraps the command line, for limits. */
export function startWriter(
  file: string,
  count: number,
  options: JournalOptions = {},
  wrap = 'exec "$@"',
): ChildProcess {
  const command = [process.execPath, program, file, String(count), JSON.stringify(options)]
  return spawn('/bin/sh', ['-c', wrap, 'sh', ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
}

export function finished(child: ChildProcess): Promise<{ exit: number | null; signal: string | null; output: string }> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += data))
  return new Promise((resolve) => child.on('close', (exit, signal) => resolve({ exit, signal, output })))
}

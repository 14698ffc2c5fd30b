import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { Verdict } from '../../src/core/index.ts'
import { createHooks } from '../../src/hooks/index.ts'
import { ownProcesses } from './own-processes.ts'
import { remove } from './scratch.ts'

/** A config and its scripts as the system reads them, payloads as it sends them, and the verdicts. */
interface Golden extends Partial<Case> {
  /** The sentence of the document that this proves. */
  proves: string
  config: string
  files?: Record<string, string>
  /** The notes of loading, by code. */
  notes?: string[]
  /** The config is refused: a part of the message. */
  refused?: string
  /** Several cases; one alone stands in the sample itself. */
  cases?: Case[]
}

interface Case {
  payload: Record<string, unknown>
  event?: string
  expect: Expected
  /** What files hold afterwards. */
  written?: Record<string, string>
  /** What the system itself would read from one hook with all these effects. */
  reply?: { exit?: number; stdout: unknown }
}

/** Only the effects that are present: an absent effect is an absent key. Of a decision, a sample names the whole, the ruling, or `deny: why`. */
interface Expected {
  decision?: unknown
  ruling?: string
  halt?: string
  context?: string[]
  rewrite?: unknown
  rewrite_mode?: string
  messages?: string[]
  metadata?: Record<string, string>
  /** Of each hook, in config order; `skipped` when it did not run. */
  outcomes: string[]
  failures?: string[]
  notes?: string[]
}

/** Runs every sample of a folder for real; a file holds one, or several as YAML documents. `{cwd}` stands for the sample's directory. */
export function playGoldens(dialect: string, folder: string, configFile: string, samplesAtOnce = it.concurrent): void {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), `${dialect}-`)))
  afterAll(() => remove(scratch))
  const samples = readdirSync(folder).flatMap((file) => readSamples(join(folder, file)))

  describe(`${dialect}, as its documentation describes it`, () => {
    it('has at least forty samples', () =>
      expect(samples.flatMap(({ cases }) => (cases.length > 0 ? cases : [undefined])).length).toBeGreaterThanOrEqual(
        40,
      ))

    samplesAtOnce.each(samples)('$name: $proves', async (sample) => {
      const cwd = join(scratch, sample.name)
      const { config, files = {}, notes = [], refused, cases } = placed(sample, cwd)
      write(join(cwd, configFile), config)
      for (const [file, content] of Object.entries(files)) write(join(cwd, file), content, 0o755)
      const opened = createHooks({ config: join(cwd, configFile), dialect, executors: [ownProcesses()] })
      if (refused !== undefined) return expect(opened).rejects.toThrow(refused)
      const hooks = await opened
      try {
        expect(hooks.notes.map(({ code }) => code)).toEqual(notes)
        for (const { payload, event, expect: expected, written = {}, reply } of cases) {
          const verdict = await hooks.raiseAs(dialect, { cwd, ...payload }, event === undefined ? {} : { event })
          expect(summary(verdict, expected), JSON.stringify(payload)).toEqual(expected)
          for (const [file, text] of Object.entries(written))
            expect(readFileSync(join(cwd, file), 'utf8').trimEnd()).toBe(text.trim())
          if (!reply) continue
          const { exit, stdout } = await hooks.replyAs(dialect, verdict)
          expect({ exit, stdout: stdout.startsWith('{') ? JSON.parse(stdout) : stdout }).toEqual({ exit: 0, ...reply })
        }
      } finally {
        await hooks.close()
      }
    })
  })
}

function readSamples(file: string): (Golden & { name: string; cases: Case[] })[] {
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as Golden)
  return documents.map(({ cases, ...sample }, index) => ({
    ...sample,
    name: `${basename(file, '.yaml')}${documents.length > 1 ? `-${index + 1}` : ''}`,
    cases: cases ?? (sample.payload ? [sample as Case] : []),
  }))
}

function summary(verdict: Verdict, expected: Expected): object {
  const { decision, halt, context, rewrite, message, metadata, reports, notes } = verdict
  const failures = reports.flatMap((report) => report.failure?.kind ?? [])
  const decided = (actual: NonNullable<Verdict['decision']>) => {
    if (expected.ruling) return { ruling: actual.ruling }
    return expected.decision ? { decision: actual } : { [actual.ruling]: actual.reason }
  }
  return {
    ...(decision && decided(decision)),
    ...(halt && { halt: halt.reason }),
    ...(context && { context }),
    ...(rewrite && { rewrite: rewrite.value }),
    ...(expected.rewrite_mode && { rewrite_mode: rewrite?.mode }),
    ...(message && { messages: message }),
    ...(metadata && { metadata }),
    outcomes: reports.map((report) => (report.asked ? (report.outcome ?? '?') : 'skipped')),
    ...(failures.length > 0 && { failures }),
    ...(notes.length > 0 && { notes: notes.map((note) => note.code) }),
  }
}

function placed<T>(sample: T, cwd: string): T {
  return JSON.parse(JSON.stringify(sample).replaceAll('{cwd}', cwd)) as T
}

function write(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
}

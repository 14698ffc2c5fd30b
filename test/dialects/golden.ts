import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { Verdict } from '../../src/core/index.ts'
import { createHooks } from '../../src/hooks.ts'
import { remove } from '../support/scratch.ts'

/** A config and its scripts as the system reads them, payloads as it sends them, and the verdicts. */
interface Golden {
  /** The sentence of the document that this proves. */
  proves: string
  config: string
  files?: Record<string, string>
  /** What loading says, by code. */
  notes?: string[]
  /** The config is refused: a part of what is said. */
  refused?: string
  cases?: Case[]
}
interface Case {
  payload: Record<string, unknown>
  event?: string
  /** `{cwd}` stands for the directory of the sample. */
  expect: Expected
  /** What the system itself would read from one hook that said all this. */
  reply?: { exit?: number; stdout: unknown }
}
interface Expected {
  deny?: string
  halt?: string
  context?: string[]
  rewrite?: unknown
  messages?: string[]
  /** Of each hook, in config order; `skipped` when it was not asked. */
  outcomes: string[]
  failures?: string[]
  notes?: string[]
}

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'golden-')))

/** Every sample of a folder, each file of which holds several as YAML documents; scripts run for real. */
export function provesDocument(dialect: string, fileName: string, folder: string): void {
  afterAll(() => remove(scratch))
  const samples = readdirSync(folder).flatMap((file) => readSamples(join(folder, file)))

  describe(`${dialect}, as its document tells it`, () => {
    it('has at least forty samples', () => {
      expect(samples.reduce((sum, { cases = [0] }) => sum + cases.length, 0)).toBeGreaterThanOrEqual(40)
    })

    it.each(samples.map((sample, index) => [sample.proves, index, sample] as const))('%s', async (_, index, sample) => {
      const cwd = join(scratch, `${index}`)
      write(join(cwd, fileName), placed(sample.config, cwd))
      for (const [file, content] of Object.entries(sample.files ?? {})) write(join(cwd, file), content, 0o755)
      const config = { config: join(cwd, fileName), dialect }
      if (sample.refused !== undefined) {
        await expect(createHooks(config)).rejects.toThrow(sample.refused)
        return
      }
      const hooks = await createHooks(config)
      try {
        expect(hooks.notes.map(({ code }) => code)).toEqual(sample.notes ?? [])
        for (const { payload, event, expect: expected, reply } of sample.cases ?? []) {
          const verdict = await hooks.raiseAs(dialect, { cwd, ...payload }, event === undefined ? {} : { event })
          expect(summary(verdict), JSON.stringify(payload)).toEqual(JSON.parse(placed(JSON.stringify(expected), cwd)))
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

function readSamples(file: string): Golden[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as Golden)
}

/** Only what was said: an absent effect is an absent key, so that the samples stay short. */
function summary({ decision, halt, context, rewrite, message, reports, notes }: Verdict): Expected {
  const failures = reports.flatMap((report) => report.failure?.kind ?? [])
  return {
    ...(decision && { [decision.ruling]: decision.reason }),
    ...(halt && { halt: halt.reason }),
    ...(context && { context }),
    ...(rewrite && { rewrite: rewrite.value }),
    ...(message && { messages: message }),
    outcomes: reports.map((report) => (report.asked ? (report.outcome ?? '?') : 'skipped')),
    ...(failures.length > 0 && { failures }),
    ...(notes.length > 0 && { notes: notes.map((note) => note.code) }),
  }
}

const placed = (text: string, cwd: string) => text.replaceAll('{cwd}', cwd)

function write(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
}

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Verdict } from '../../src/core/index.ts'
import { createHooks } from '../../src/hooks.ts'
import { remove } from './scratch.ts'

/** One file per case: a config and its scripts as the system reads them, a payload as it sends it, and the verdict. */
interface Golden {
  /** The sentence of the document that this proves. */
  proves: string
  config: string
  files?: Record<string, string>
  payload: Record<string, unknown>
  expect: Expected & { written?: Record<string, string>; reply?: unknown; exit?: number }
}

interface Expected {
  decision?: unknown
  halt?: string
  context?: string[]
  rewrite?: unknown
  messages?: string[]
  /** Of each hook, in config order; `skipped` when it was not asked. */
  outcomes: string[]
  failures?: string[]
  notes?: string[]
}

/** Runs every sample of a folder for real. `{cwd}` stands for the directory of the sample. */
export function playGoldens(dialect: string, folder: string, configFile: string): void {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), `${dialect}-`)))
  afterAll(() => remove(scratch))

  describe(`${dialect}, as its document tells it`, () => {
    const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ''))

    it('has at least forty samples', () => expect(names.length).toBeGreaterThanOrEqual(40))

    it.concurrent.each(names)('%s', async (name) => {
      const cwd = join(scratch, name)
      const source = readFileSync(join(folder, `${name}.yaml`), 'utf8').replaceAll('{cwd}', cwd)
      const golden = parse(source) as Golden
      write(join(cwd, configFile), golden.config)
      for (const [file, content] of Object.entries(golden.files ?? {})) write(join(cwd, file), content)
      const hooks = await createHooks({ config: join(cwd, configFile), dialect })
      try {
        const verdict = await hooks.raiseAs(dialect, { cwd, ...golden.payload })
        const { written = {}, reply, exit, ...expected } = golden.expect
        expect(summary(verdict), golden.proves).toEqual(expected)
        for (const [file, text] of Object.entries(written))
          expect(readFileSync(join(cwd, file), 'utf8').trimEnd(), golden.proves).toBe(text.trimEnd())
        const answer = await hooks.replyAs(dialect, verdict)
        if (reply !== undefined) expect(readReply(answer.stdout)).toEqual(reply)
        if (exit !== undefined) expect(answer.exit).toBe(exit)
      } finally {
        await hooks.close()
      }
    })
  })
}

/** Only what was said: an absent effect is an absent key, so that the samples stay short. */
function summary(verdict: Verdict): Expected {
  const { decision, halt, context, rewrite, message, reports, notes } = verdict
  const failures = reports.flatMap((report) => report.failure?.kind ?? [])
  return {
    ...(decision && { decision }),
    ...(halt && { halt: halt.reason }),
    ...(context && { context }),
    ...(rewrite && { rewrite: rewrite.value }),
    ...(message && { messages: message }),
    outcomes: reports.map((report) => (report.asked ? (report.outcome ?? '?') : 'skipped')),
    ...(failures.length > 0 && { failures }),
    ...(notes.length > 0 && { notes: notes.map((note) => note.code) }),
  }
}

const readReply = (stdout: string): unknown => (stdout.startsWith('{') ? JSON.parse(stdout) : stdout)

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Verdict } from '../../src/core/index.ts'
import { createHooks } from '../../src/hooks.ts'
import { remove } from '../support/scratch.ts'

/** One file per case: a config and its scripts as docker-agent reads them, a payload as it sends it, and the verdict. */
interface Golden {
  /** The sentence of the document that this proves. */
  proves: string
  config: string
  files?: Record<string, string>
  payload: Record<string, unknown>
  expect: Expected & { ruling?: string; written?: Record<string, string> }
}
interface Expected {
  decision?: unknown
  context?: string[]
  rewrite?: unknown
  messages?: string[]
  metadata?: Record<string, string>
  /** Of each hook that the config names, in its order; `skipped` when it was not asked. */
  outcomes: string[]
  failures?: string[]
  notes?: string[]
}

const folder = join(import.meta.dirname, 'docker-agent/golden')
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'docker-agent-')))
afterAll(() => remove(scratch))

describe('docker-agent, as its document tells it', () => {
  const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ''))

  it('has at least forty samples', () => expect(names.length).toBeGreaterThanOrEqual(40))

  it.each(names)('%s', async (name) => {
    const golden = parse(readFileSync(join(folder, `${name}.yaml`), 'utf8')) as Golden
    const cwd = join(scratch, name)
    write(join(cwd, 'agent.yaml'), golden.config)
    for (const [file, content] of Object.entries(golden.files ?? {})) write(join(cwd, file), content)
    const hooks = await createHooks({ config: join(cwd, 'agent.yaml'), dialect: 'docker-agent' })
    try {
      const verdict = await hooks.raiseAs('docker-agent', { cwd, ...golden.payload })
      const { ruling, written = {}, ...expected } = golden.expect
      const { decision, ...seen } = summary(verdict)
      if (ruling === undefined) expect({ decision, ...seen }, golden.proves).toEqual(expected)
      else expect({ ruling: verdict.decision?.ruling, ...seen }, golden.proves).toEqual({ ruling, ...expected })
      for (const [file, text] of Object.entries(written))
        expect(readFileSync(join(cwd, file), 'utf8').trimEnd()).toBe(text.trim().replace('{cwd}', cwd))
    } finally {
      await hooks.close()
    }
  })
})

/** Only what was said: an absent effect is an absent key, so that the samples stay short. */
function summary(verdict: Verdict): Expected {
  const { decision, context, rewrite, message, metadata, reports, notes } = verdict
  const failures = reports.flatMap((report) => report.failure?.kind ?? [])
  return {
    ...(decision && { decision }),
    ...(context && { context }),
    ...(rewrite && { rewrite }),
    ...(message && { messages: message }),
    ...(metadata && { metadata }),
    outcomes: reports.map((report) => (report.asked ? (report.outcome ?? '?') : 'skipped')),
    ...(failures.length > 0 && { failures }),
    ...(notes.length > 0 && { notes: notes.map((note) => note.code) }),
  }
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

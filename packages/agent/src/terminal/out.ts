import type { Verdict } from 'hookline/internal'
import { show, stringifyJson } from 'hookline/internal'
import type { Happening } from '../happening.ts'

/** One JSON object per line: every happening, every dispatch in which a hook was asked, and the result. */
export interface Reporter {
  watch(happening: Happening): void
  hooks(verdict: Verdict): void
  result(result: { reason: string; response: string; detail?: string; exit: number; session_id: string }): void
}

export function reportTo(write: (text: string) => void): Reporter {
  const line = (value: object) => write(`${stringifyJson(value)}\n`)
  return {
    watch: line,
    hooks(verdict) {
      if (!verdict.reports.some(({ asked }) => asked) && verdict.notes.length === 0) return
      const { session_id = '', agent_name: agent = '' } = verdict.payload
      line({ type: 'hooks', session_id, agent, ...show(verdict, []) })
    },
    result: (result) => line({ type: 'result', ...result }),
  }
}

import { type CompiledRules, compileRules } from './compile.ts'
import type { Moment } from './conditions.ts'
import type { Question } from './judge.ts'
import type { Compiling } from './target.ts'
import { linesOf, type TextRule } from './texts.ts'

/** A call, as rules about texts see it. */
export interface TextCall {
  /** What the tool may be called in a rule. */
  names: readonly string[]
  toolset: string
  input: Readonly<Record<string, unknown>>
  cwd: string | undefined
}

export function compileTextRules(rules: readonly TextRule[]): CompiledRules {
  return compileRules(rules, nothingElse)
}

/** One question for each command line of the call: a deny holds if it matches in one, an allow must cover them all. */
export function textQuestions({ names, toolset, input, cwd }: TextCall): Question[] {
  const about = { names, input, moment: anyMoment, look: {}, happened: () => false, actions: [] }
  const lines = linesOf(input, cwd)
  if (lines.length === 0) return [{ ...about, complete: true, texts: { toolset, cwd } }]
  return lines.map((line) => ({
    ...about,
    get complete() {
      return line.reading.certain
    },
    texts: { toolset, cwd, line },
  }))
}

/** Rules about texts have no conditions on the moment. */
const anyMoment: Moment = {
  agent: undefined,
  host: 'hookline',
  permissionMode: 'default',
  subagent: false,
  principal: undefined,
  tenant: undefined,
  now: new Date(0),
  git: undefined,
}

/** They name no tools of our table, no regexes and no places. */
const nothingElse: Compiling = {
  base: '/',
  regex: () => ({ test: () => false }),
  toolNames: { test: () => () => false, knows: () => true, suggest: () => '' },
}

import type { Decoded, Hook, MatchTest, Note } from '../../core/index.ts'
import { hookDefaults, note } from '../../core/index.ts'
import { formatArgumentPath } from './matcher.ts'
import { formatDuration, writeGlob, writePattern } from './names.ts'
import { type HookEntry, idPattern } from './schema.ts'

/** One hook as an entry of the config; what equals the default is left out. */
export function encodeHook(hook: Hook): Decoded<HookEntry> {
  const lost: string[] = []
  const matcher = encodeMatcher(hook.matcher, lost)
  const timeout = formatDuration(hook.timeoutMs)
  const value: HookEntry = {
    ...(idPattern.test(hook.id) && { id: hook.id }),
    event: hook.event,
    ...(Object.keys(matcher).length > 0 && { matcher }),
    run: hook.run,
    ...(hook.timeoutMs !== hookDefaults.timeoutMs && { timeout }),
    ...(hook.onFailure !== undefined && { on_failure: hook.onFailure }),
    ...(hook.mode !== hookDefaults.mode && { mode: hook.mode }),
    ...(hook.background !== hookDefaults.background && { background: hook.background }),
    ...(hook.stage !== hookDefaults.stage && { stage: hook.stage }),
    ...(hook.enabled !== hookDefaults.enabled && { enabled: hook.enabled }),
    ...(Object.keys(hook.env).length > 0 && { env: { ...hook.env } }),
    ...(hook.workingDir !== undefined && { working_dir: hook.workingDir }),
    ...(hook.description !== undefined && { description: hook.description }),
    ...(hook.canary !== undefined && { canary: hook.canary }),
  }
  if (hook.dialect !== 'native') lost.push(`The reply language of ${hook.dialect}`)
  if (hook.unlessRuled) lost.push('Being asked only when no permission rule has decided')
  if (hook.topLevelOnly) lost.push('Not being asked for sub-agents')
  if (hook.dedupe !== undefined) lost.push('The key by which equal hooks run once')
  return { value, notes: lost.map((what) => lostNote(what, hook)) }
}

function encodeMatcher(tests: readonly MatchTest[], lost: string[]): NonNullable<HookEntry['matcher']> {
  const matcher: NonNullable<HookEntry['matcher']> = {}
  for (const test of tests) if (!place(matcher, test)) lost.push(`A test of \`${test.facet}\` in the matcher`)
  return matcher
}

/** Writes the test under the first key that can say it and is free; false when there is none. */
function place(matcher: NonNullable<HookEntry['matcher']>, test: MatchTest): boolean {
  if (test.facet === 'args') return placeArgument(matcher, test)
  if (test.negate || test.facet === 'text') return false
  const keys = test.facet === 'tool' ? (['tool', 'tool_glob'] as const) : ([test.facet] as const)
  for (const key of keys) {
    const written = key === 'tool_glob' ? writeGlob(test.test) : writePattern(test.test)
    if (written === undefined || written === '' || matcher[key] !== undefined) continue
    matcher[key] = written
    return true
  }
  return false
}

function placeArgument(matcher: NonNullable<HookEntry['matcher']>, { path = [], test, negate }: MatchTest): boolean {
  if ('any' in test && negate) return false
  const pattern = 'any' in test ? undefined : 'regex' in test && !test.whole ? test.regex : wholePattern(test)
  const entry = {
    path: formatArgumentPath(path),
    ...(pattern !== undefined && { [negate ? 'not_matches' : 'matches']: pattern }),
  }
  const before = matcher.args === undefined ? [] : [matcher.args].flat()
  matcher.args = before.length === 0 ? entry : [...before, entry]
  return true
}

function wholePattern(test: MatchTest['test']): string {
  const prefixes = 'names' in test ? (test.prefixes ?? []) : []
  const names = writePattern('names' in test ? { names: test.names } : test)
  const begins = prefixes.map((prefix) => `${writePattern({ names: [prefix] })}.*`)
  return `(?s)^(?:${[...(names ? [names] : []), ...begins].join('|')})$`
}

function lostNote(what: string, hook: Hook): Note {
  const fix = 'Keep the hook in a config of the system it was written for.'
  return note('translation-lost', { what, dialect: 'native', fix }, { hook: hook.id })
}

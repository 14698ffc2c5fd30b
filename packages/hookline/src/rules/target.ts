import type { RuleTarget } from '../core/index.ts'
import { type ArgumentsTest, type CompileRegex, compileWhere } from './arguments.ts'
import { type CommandPattern, parseCommand } from './commands/index.ts'
import { type Glob, wordGlob } from './glob.ts'
import { type HostPattern, parseHost } from './hosts.ts'
import { type PathPattern, parsePath, type Surroundings } from './paths.ts'
import { type CompiledText, compileText, type TextTarget } from './texts.ts'
import type { ToolNames } from './tools.ts'

/** What a rule is about, ready to match. */
export interface Target {
  run: readonly CommandPattern[]
  read: readonly PathPattern[]
  write: readonly PathPattern[]
  delete: readonly PathPattern[]
  fetch: readonly HostPattern[]
  send: readonly Glob[]
  spawn: readonly Glob[]
  call: readonly { server: Glob; tool: Glob }[]
  /** Absent: any tool. */
  tool?: (names: readonly string[]) => boolean
  where?: ArgumentsTest
  prompt: readonly { test(text: string): boolean }[]
  /** Whole texts instead; see texts.ts. */
  text?: CompiledText
  /** It names actions, and not only a tool or arguments. */
  hasActions: boolean
}

/** What is wrong with a pattern: where in the target, what, and what to do. */
export interface PatternProblem {
  key: string
  pattern: string
  detail: string
  fix: string
}

export interface Compiling extends Surroundings {
  regex: CompileRegex
  toolNames: ToolNames
}

/** Patterns that cannot be read are left out of the target, and reported. `strictly`: for what loosens. */
export function compileTarget(
  given: RuleTarget & Partial<TextTarget>,
  using: Compiling,
  strictly: boolean,
): { target: Target; problems: PatternProblem[] } {
  const problems: PatternProblem[] = []
  const each = <T>(
    key: string,
    patterns: string | readonly string[] | undefined,
    parse: (text: string) => Parsed<T>,
  ): T[] =>
    [patterns ?? []].flat().flatMap((pattern) => {
      const parsed = parse(pattern)
      if (parsed.ok) return [parsed.pattern]
      problems.push({ key, pattern, detail: parsed.detail, fix: parsed.fix })
      return []
    })
  const path = (text: string) => parsePath(text, using)
  const glob = (text: string): Parsed<Glob> => ({ ok: true, pattern: wordGlob(text, true) })
  const tools = given.tool === undefined ? undefined : [given.tool].flat()
  const where = given.where && whereOf(given.where, using.regex, problems)
  const target: Target = {
    run: each('run', given.run, (text) => parseCommand(text, using.home)),
    read: each('read', given.read, path),
    write: each('write', given.write, path),
    delete: each('delete', given.delete, path),
    fetch: each('fetch', given.fetch, parseHost),
    send: each('send', given.send, glob),
    spawn: each('spawn', given.spawn, glob),
    call: each('call', given.call, parseCall),
    prompt: each('prompt', given.prompt, (text) => promptOf(text, using.regex)),
    ...(tools && { tool: using.toolNames.test(tools, strictly) }),
    ...(where && { where }),
    ...(given.text && { text: compileText(given.text) }),
    hasActions: actionKeys.some((key) => given[key] !== undefined),
  }
  return { target, problems }
}

type Parsed<T> = { ok: true; pattern: T } | { ok: false; detail: string; fix: string }

const actionKeys = ['run', 'read', 'write', 'delete', 'fetch', 'send', 'spawn', 'call'] as const

/** `github/*`, `mcp__github__*`, or a server alone: all of its tools. */
function parseCall(text: string): Parsed<{ server: Glob; tool: Glob }> {
  const [server = '', tool = '*'] = text.startsWith('mcp__') ? text.slice(5).split(/__(.*)/s) : text.split(/\/(.*)/s)
  if (server === '' || tool === '')
    return { ok: false, detail: 'it names no tool of a server', fix: 'Write `server/tool`, such as `github/*`.' }
  return { ok: true, pattern: { server: wordGlob(server, true), tool: wordGlob(tool, true) } }
}

function promptOf(text: string, regex: CompileRegex): Parsed<{ test(text: string): boolean }> {
  const [, source, flags] = /^\/(.+)\/([ims]*)$/s.exec(text) ?? []
  if (source === undefined) {
    const wanted = text.toLowerCase()
    return { ok: true, pattern: { test: (prompt) => prompt.toLowerCase().includes(wanted) } }
  }
  try {
    return { ok: true, pattern: regex(flags ? `(?${flags})${source}` : source) }
  } catch (error) {
    return { ok: false, ...badRegex(error) }
  }
}

function whereOf(
  where: NonNullable<RuleTarget['where']>,
  regex: CompileRegex,
  problems: PatternProblem[],
): ArgumentsTest | undefined {
  try {
    return compileWhere(where, regex)
  } catch (error) {
    problems.push({ key: 'where', pattern: JSON.stringify(where), ...badRegex(error) })
    return undefined
  }
}

const badRegex = (error: unknown) => ({
  detail: error instanceof Error ? error.message.replace(/\.$/, '') : 'it cannot be read',
  fix: 'Patterns are matched in linear time (RE2 syntax): no look-around and no back-references.',
})

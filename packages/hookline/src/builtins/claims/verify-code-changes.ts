import { relative } from 'node:path'
import * as z from 'zod/mini'
import { type BuiltinKit, byEvent, defineBuiltin, type Opinion } from '../../core/index.ts'
import { absolute } from '../judge.ts'
import { argument, count, deny, optional } from '../parts.ts'
import { compile, pattern } from '../patterns.ts'
import { pathsOf, shellOf, type ToolCall } from '../tools.ts'

const args = z.strictObject({
  verified_by: optional(
    pattern,
    'Commands that count as testing or running, by a pattern of your own. Absent: test runners, compilers, interpreters and builds.',
  ),
  max_blocks: argument(count, 'How often a session is sent back at most.', 3),
})
type Args = z.infer<typeof args>

interface Work {
  /** Code that was edited and not run since, with the time of the edit. */
  unproven: Record<string, number>
  /** What it was sent back for already: once is enough for the same edits. */
  reported: string[]
}
const nothing: Work = { unproven: {}, reported: [] }

/** After this long, nobody remembers what the edit was about. */
const freshMs = 30 * 60 * 1_000

export const verifyCodeChanges = defineBuiltin({
  name: 'verify_code_changes',
  liveOutput: true,
  doc: 'Edited code must have been tested or run before the agent stops. Notes edits and runs on `post_tool_use`, and sends the agent back on `stop`, once per set of edits.',
  ...byEvent<Args>({
    stop: judge,
    on_completion_claim: judge,
    async post_tool_use({ payload }, args, kit) {
      if (payload.tool_error !== true) await note(payload, args, kit)
      return undefined
    },
  }),
  args,
  does: [],
  examples: [
    {
      title: 'edited and never run',
      before: [{ event: 'post_tool_use', payload: { tool_name: 'edit_file', tool_input: { path: 'src/a.ts' } } }],
      event: 'stop',
      payload: { response: 'Fixed.' },
      expect: {
        decision: deny(
          'You changed src/a.ts and have not run or tested anything since. Run the tests, or the code, and fix what they show; or say why that cannot be done here.',
        ),
      },
    },
    {
      title: 'edited, then tested',
      before: [
        { event: 'post_tool_use', payload: { tool_name: 'edit_file', tool_input: { path: 'src/a.ts' } } },
        { event: 'post_tool_use', payload: { tool_name: 'shell', tool_input: { command: 'cd app && CI=1 npm test' } } },
      ],
      event: 'stop',
      payload: {},
      expect: undefined,
    },
    {
      title: 'written by the shell counts as well, looking at it does not',
      before: [
        {
          event: 'post_tool_use',
          payload: { tool_name: 'shell', tool_input: { command: "cat > run.py <<'EOF'\nprint(1)\nEOF\ncat run.py" } },
        },
      ],
      event: 'stop',
      payload: {},
      expect: { decision: { ruling: 'deny' } as never },
    },
    {
      title: 'a text is no code',
      before: [{ event: 'post_tool_use', payload: { tool_name: 'write_file', tool_input: { path: 'README.md' } } }],
      event: 'stop',
      payload: {},
      expect: undefined,
    },
  ],
})

const code =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|scala|swift|c|h|cc|cpp|hpp|cs|php|pl|lua|ex|exs|erl|hs|clj|dart|sh|bash|zsh|ps1|sql|vue|svelte|zig|nim|jl|r|sol)$/i

/** At the place of a command: interpreters, test runners, compilers and builds. */
const runs =
  /^(?:(?:npm|pnpm|yarn|bun)\s+(?:t|test|run|exec|start|build|dlx|x)\b|(?:npx|bunx|pnpx|uvx)\s|(?:uv|poetry|pipenv|hatch|pdm|bundle|mix|dotnet|cargo|go|deno|zig|flutter|dart|swift|gradle|\.?\/?gradlew|mvn|\.?\/?mvnw|sbt|lein|stack|cabal|rake|rails)\s|(?:node|tsx|ts-node|python[\d.]*|pytest|tox|nox|ruby|rspec|php|phpunit|perl|lua|java|javac|scala|Rscript|julia|bash|sh|zsh|make|just|ninja|cmake|ctest|gcc|g\+\+|clang\+?\+?|rustc|tsc|vitest|jest|mocha|playwright|mypy|pyright|psql|sqlite3|docker\s+(?:run|compose|build))\b|\.{0,2}\/\S)/

/** The commands of a line, roughly, without what stands before them. */
function commandsOf(line: string): string[] {
  const withoutDocuments = line.replace(/<<-?\s*(['"]?)(\w+)\1[\s\S]*?\n\2(?=\n|$)/g, ' ')
  return withoutDocuments
    .split(/&&|\|\||[;|&\n]/)
    .map((part) => part.trim().replace(/^(?:(?:\w+=\S*|sudo|time|nohup|env|command|timeout\s+\S+)\s+)*/, ''))
}

async function note(call: ToolCall, args: Args, kit: BuiltinKit): Promise<void> {
  const now = kit.now().getTime()
  const line = shellOf(call, kit)?.command
  const commands = line === undefined ? [] : commandsOf(line)
  const own = args.verified_by === undefined ? undefined : await compile(args.verified_by)
  const proven = commands.some((command) => (own ? own.test(command) : runs.test(command)))
  const written =
    line === undefined
      ? edited(call, kit)
      : [...line.matchAll(/(?:>>?|\btee(?:\s+-a)?)\s*([\w@./~-]+)/g)].map((match) => match[1]!)
  const files = written.filter((path) => code.test(path)).map((path) => relative(kit.cwd, absolute(path, kit)))
  if (files.length === 0 && !proven) return
  await kit.update<Work>('work', (work = nothing) => {
    const before = proven ? {} : work.unproven
    // What a line both writes and runs is proven; the order within it is taken on trust.
    const added = proven ? [] : files.map((path) => [path, now] as const)
    return { ...work, unproven: { ...before, ...Object.fromEntries(added) } }
  })
}

const edited = (call: ToolCall, kit: BuiltinKit): string[] =>
  pathsOf(call, kit)
    .filter(({ access }) => access === 'write')
    .map(({ path }) => path)

async function judge(
  _event: unknown,
  { max_blocks: most }: Args,
  kit: BuiltinKit,
): Promise<Pick<Opinion, 'decision'> | undefined> {
  const now = kit.now().getTime()
  const { unproven, reported } = (await kit.recall<Work>('work')) ?? nothing
  const open = Object.entries(unproven).filter(([, at]) => at > now - freshMs)
  const key = open
    .map(([path, at]) => `${path}@${at}`)
    .sort()
    .join('\n')
  if (open.length === 0 || reported.includes(key) || reported.length >= most) return undefined
  await kit.update<Work>('work', (work = nothing) => ({ ...work, reported: [...work.reported, key] }))
  const names = open.map(([path]) => path).sort()
  const shown = names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
  return {
    decision: deny(
      `You changed ${shown} and have not run or tested anything since. Run the tests, or the code, and fix what they show; or say why that cannot be done here.`,
    ),
  }
}

import { formatPath, type Note, validate } from 'hookline/internal'
import * as z from 'zod/mini'
import type { Tool, ToolResult, ToolRun } from '../core/index.ts'
import type { Container } from './container/index.ts'
import type { SignIn } from './mcp/sign-in.ts'
import type { SandboxSession } from './sandbox.ts'

type Input = Record<string, unknown>

/** A tool as its file defines it. `W` is what it works on; the definition holds no state. */
export interface ToolDefinition<S extends z.ZodMiniObject, W> {
  name: string
  description: string
  input: S
  /** Other names that models and other systems give to an argument. */
  aliases?: Readonly<Record<string, string>>
  /** Other forms of the arguments, brought into the one the schema knows. */
  adapt?(input: Input): Input
  readOnly?: boolean | ((input: z.output<S>, on: W) => boolean)
  /** No call of it can change anything, though some need approval. What is always `readOnly` needs no such word. */
  onlyReads?: true
  alone?: boolean
  run(input: z.output<S>, on: W, call: ToolRun): Promise<ToolResult | string>
}

/** A definition whose schema no longer matters: what a toolset lists. */
// biome-ignore lint/suspicious/noExplicitAny: the schema is the definition's own affair
export type AnyTool<W> = ToolDefinition<any, W>

export const defineTool = <S extends z.ZodMiniObject, W>(definition: ToolDefinition<S, W>) => definition

export function bindTool<W>(definition: AnyTool<W>, category: string, on: W): Tool {
  const { name, description, readOnly, onlyReads = readOnly === true, alone } = definition
  return {
    name,
    description,
    category,
    get parameters() {
      return parametersOf(definition.input)
    },
    readOnly: (input) => (typeof readOnly === 'function' ? readOnly(input as never, on) : readOnly === true),
    ...(onlyReads ? { onlyReads } : {}),
    ...(alone === undefined ? {} : { alone }),
    parse: (input) => parseInput(definition, input),
    async run(input, call) {
      const result = await definition.run(input as never, on, call)
      return typeof result === 'string' ? { content: result } : result
    },
  }
}

const schemas = new WeakMap<z.ZodMiniObject, Record<string, unknown>>()

/** The JSON Schema of the arguments, made once per schema. */
function parametersOf(schema: z.ZodMiniObject): Record<string, unknown> {
  const known = schemas.get(schema)
  if (known) return known
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' })
  schemas.set(schema, parameters)
  return parameters
}

export function parseInput(definition: AnyTool<never>, given: Input): ReturnType<Tool['parse']> {
  const named = rename(given, definition.aliases ?? {})
  if (typeof named === 'string') return { ok: false, problem: named }
  const input = definition.adapt?.(named) ?? named
  const read = validate(definition.input, input)
  if (read.ok) return { ok: true, input: read.value as Input }
  const texts = read.problems.map(({ path, detail, fix }) => `\`${formatPath(path) || 'the input'}\` ${detail}. ${fix}`)
  return { ok: false, problem: texts.join(' ') }
}

/** One argument under two names must not mean two things: a rule may have looked at the other one. */
function rename(given: Input, aliases: Readonly<Record<string, string>>): Input | string {
  const input = { ...given }
  for (const [alias, name] of Object.entries(aliases)) {
    if (!Object.hasOwn(input, alias)) continue
    if (Object.hasOwn(input, name) && input[name] !== input[alias])
      return `\`${alias}\` and \`${name}\` are the same argument, and they differ. Give only \`${name}\`.`
    input[name] = input[alias]
    delete input[alias]
  }
  return input
}

export const text = (description: string) => z.string().check(z.minLength(1), z.describe(description))
export const whole = (description: string, least = 1) => z.int().check(z.gte(least), z.describe(description))
export const flag = (description: string) => z.boolean().check(z.describe(description))

/** One kind of toolset that an agent file may name. Its options are docker-agent's. */
export interface Toolset<O extends z.ZodMiniObject = z.ZodMiniObject> {
  doc: string
  options: O
  /** Its tools, for the reference; absent where they are known only when it is opened. */
  tools?: readonly Pick<AnyTool<never>, 'name' | 'description'>[]
  /** Those it has in the sandbox instead. */
  sandboxed?: readonly Pick<AnyTool<never>, 'name' | 'description'>[]
  /** Why it cannot be had in the sandbox, for those that work on the machine itself. */
  outsideOnly?: string
  open(options: z.output<O>, context: ToolsetContext): Promise<OpenToolset> | OpenToolset
}

export const defineToolset = <O extends z.ZodMiniObject>(toolset: Toolset<O>): Toolset<O> => toolset

export interface OpenToolset {
  /** May change while it is open. */
  tools: readonly Tool[]
  close?(): Promise<void>
}

/** Where tools are opened. */
export interface ToolsetContext {
  agent: string
  /** The workspace, with symlinks resolved. */
  cwd: string
  home: string
  env: Readonly<Record<string, string | undefined>>
  /** Variables that commands do not get: keys of models and channels. */
  secrets: readonly string[]
  /** Directories outside of the workspace that may be read. */
  readable: readonly string[]
  /** Where toolsets keep what outlives a session. */
  dataDir: string
  /** MCP servers whose word that a call only reads counts, as the user says. */
  trustedHints: readonly string[]
  /** Whether toolsets may be allowed to reach this machine and private networks at all. */
  allowLocal: boolean
  /**
   * Why this toolset may not start its program now, or this command line of several, if so: asked each time it would, since
   * what it runs may have changed.
   */
  mayNotStart(command?: string): string | undefined
  sandbox: SandboxSession | undefined
  /** Where command lines run, when not on the machine itself. */
  container: Container | undefined
  /** Accounts at servers that want to know the user. */
  signIn: SignIn
  /** The same object for every agent of one session: what they share hangs on it. */
  session: object
  warn(note: Note): void
}

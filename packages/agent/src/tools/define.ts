import { formatPath, validate } from 'hookline/internal'
import * as z from 'zod/mini'
import type { Tool, ToolResult, ToolRun } from '../tool.ts'

type Input = Record<string, unknown>

/** A tool as its file says it. `W` is what it works on; nothing is kept in the definition itself. */
export interface ToolDefinition<S extends z.ZodMiniObject, W> {
  name: string
  description: string
  input: S
  /** Other names that models and other systems give to an argument. */
  aliases?: Readonly<Record<string, string>>
  /** Other forms of the arguments, brought into the one the schema knows. */
  adapt?(input: Input): Input
  readOnly?: boolean | ((input: z.output<S>, on: W) => boolean)
  alone?: boolean
  run(input: z.output<S>, on: W, call: ToolRun): Promise<ToolResult | string>
}

/** A definition whose schema no longer matters: what a toolset lists. */
// biome-ignore lint/suspicious/noExplicitAny: the schema is the definition's own affair
export type AnyTool<W> = ToolDefinition<any, W>

export const defineTool = <S extends z.ZodMiniObject, W>(definition: ToolDefinition<S, W>) => definition

/** What went wrong, in words that the model can act on. */
export class ToolFailure extends Error {
  override name = 'ToolFailure'
}

export function bindTool<W>(definition: AnyTool<W>, category: string, on: W): Tool {
  const { name, description, readOnly, alone } = definition
  return {
    name,
    description,
    category,
    get parameters() {
      return parametersOf(definition.input)
    },
    readOnly: (input) => (typeof readOnly === 'function' ? readOnly(input as never, on) : readOnly === true),
    ...(alone === undefined ? {} : { alone }),
    parse: (input) => parseInput(definition, input),
    async run(input, call) {
      const result = await definition.run(input as never, on, call)
      return typeof result === 'string' ? { content: result } : result
    },
  }
}

const schemas = new WeakMap<z.ZodMiniObject, Record<string, unknown>>()

/** What the model is told of the arguments; made once for each schema. */
function parametersOf(schema: z.ZodMiniObject): Record<string, unknown> {
  const known = schemas.get(schema)
  if (known) return known
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' })
  schemas.set(schema, parameters)
  return parameters
}

function parseInput(definition: AnyTool<never>, given: Input): ReturnType<Tool['parse']> {
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

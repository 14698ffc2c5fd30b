import * as z from 'zod/mini'
import { type Tool, ToolFailure } from '../core/index.ts'
import { bindTool, defineTool, text } from './define.ts'

/** Tools that the model sees once it has asked for them: docker-agent's `defer`. */
export interface Deferred {
  /** All of them; what is not open yet is opened by this. */
  all(): Promise<readonly Tool[]>
  /** By name: those that the model requested. */
  active: Set<string>
}

const searchTool = defineTool({
  name: 'search_tool',
  description: 'Find tools that are not loaded yet, by words of what they are for. Load one with add_tool.',
  input: z.strictObject({ query: text('A word or part of a name; all characters must occur in this order.') }),
  readOnly: true,
  async run({ query }, { all, active }: Deferred) {
    const found = (await all()).filter(({ name, description }) => fits(query, name) || fits(query, description))
    const lines = found.map((tool) => `${tool.name}${active.has(tool.name) ? ' (loaded)' : ''}: ${tool.description}`)
    return lines.join('\n') || `No tool fits ${JSON.stringify(query)}.`
  },
})

const addTool = defineTool({
  name: 'add_tool',
  description: 'Load a tool that search_tool has found: from then on it can be called.',
  input: z.strictObject({ name: text('The name of the tool.') }),
  readOnly: true,
  async run({ name }, { all, active }: Deferred) {
    const known = (await all()).map((tool) => tool.name)
    if (!known.includes(name)) throw new ToolFailure(`There is no tool ${name} to load. Look for it with search_tool.`)
    active.add(name)
    return `${name} can be called now.`
  },
})

export const deferredTools = (deferred: Deferred): Tool[] =>
  [searchTool, addTool].map((tool) => bindTool(tool, 'tools', deferred))

/** All characters of the query, in their order, with anything between them. */
function fits(query: string, target: string): boolean {
  const rest = target.toLowerCase()
  let at = -1
  return [...query.toLowerCase()].every((character) => {
    at = rest.indexOf(character, at + 1)
    return at >= 0
  })
}

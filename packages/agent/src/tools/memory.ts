import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { makeDirectory } from 'hookline/internal'
import * as z from 'zod/mini'
import { ToolFailure } from '../core/index.ts'
import { bindTool, defineTool, defineToolset, type ToolsetContext, text } from './define.ts'
import { diskFiles } from './files/disk.ts'

interface Memory {
  id: string
  created: string
  content: string
  category?: string
}

/** A file of memories, read for each call: other sessions may have written to it. */
interface Memories {
  file(): Promise<string>
  /** Writes of this process, one after the other. */
  last: Promise<unknown>
}

const content = text('What to remember, complete in itself.')
const category = z.optional(text('A word to find it by, such as `preference` or `decision`.'))
const id = text('The id of the memory.')

const addMemory = defineTool({
  name: 'add_memory',
  description: 'Remember something for later sessions.',
  input: z.strictObject({ content, category }),
  aliases: { memory: 'content' },
  run: ({ content, category }, on: Memories) =>
    change(on, (memories) => {
      const memory: Memory = { id: randomUUID().slice(0, 8), created: new Date().toISOString(), content }
      memories.push(category === undefined ? memory : { ...memory, category })
      return `Remembered as ${memory.id}.`
    }),
})

const getMemories = defineTool({
  name: 'get_memories',
  description: 'Everything that was remembered.',
  input: z.strictObject({}),
  readOnly: true,
  run: async (_, on: Memories) => shown(await load(await on.file())),
})

const searchMemories = defineTool({
  name: 'search_memories',
  description: 'What was remembered with these words, or under this category.',
  input: z.strictObject({ query: z.optional(text('Words that must all occur.')), category }),
  readOnly: true,
  async run({ query = '', category }, on: Memories) {
    const words = query.toLowerCase().split(/\s+/)
    const found = (await load(await on.file())).filter(
      (memory) =>
        words.every((word) => memory.content.toLowerCase().includes(word)) &&
        (category === undefined || memory.category === category),
    )
    return shown(found)
  },
})

const updateMemory = defineTool({
  name: 'update_memory',
  description: 'Change what was remembered.',
  input: z.strictObject({ id, content, category }),
  aliases: { memory: 'content' },
  run: ({ id, content, category }, on: Memories) =>
    change(on, (memories) => {
      Object.assign(find(memories, id), { content }, category === undefined ? {} : { category })
      return `Changed ${id}.`
    }),
})

const deleteMemory = defineTool({
  name: 'delete_memory',
  description: 'Forget something.',
  input: z.strictObject({ id }),
  run: ({ id }, on: Memories) =>
    change(on, (memories) => {
      memories.splice(memories.indexOf(find(memories, id)), 1)
      return `Forgot ${id}.`
    }),
})

const tools = [addMemory, getMemories, searchMemories, updateMemory, deleteMemory]

export const memoryToolset = defineToolset({
  doc: 'Remembers things across sessions, in a file of its own.',
  options: z.strictObject({
    path: z.optional(
      z.string().check(z.describe('The file, from the workspace. Default: one for each agent, with our data.')),
    ),
  }),
  tools,
  open({ path }, context) {
    const on: Memories = { file: () => fileOf(path, context), last: Promise.resolve() }
    return { tools: tools.map((tool) => bindTool(tool, 'memory', on)), close: async () => void (await on.last) }
  },
})

/** A path inside the workspace must stay there after links are resolved: only that place was approved. */
async function fileOf(path: string | undefined, { agent, cwd, home, dataDir }: ToolsetContext): Promise<string> {
  if (path === undefined) return join(dataDir, 'memory', `${encodeURIComponent(agent)}.json`)
  const file = `${resolve(cwd, path).replace(/\.(db|json)$/, '')}.json`
  if (!file.startsWith(`${cwd}${sep}`)) return file
  return (await diskFiles({ cwd, home, roots: [cwd], denied: [], readable: [] }).locate(file, 'write')).path
}

function change(on: Memories, edit: (memories: Memory[]) => string): Promise<string> {
  const work = on.last.then(async () => {
    const file = await on.file()
    const memories = await load(file)
    const answer = edit(memories)
    makeDirectory(dirname(file), 0o777)
    const draft = `${file}.${randomUUID()}`
    await writeFile(draft, `${JSON.stringify(memories, null, 2)}\n`, { mode: 0o600 })
    await rename(draft, file)
    return answer
  })
  on.last = work.catch(() => {})
  return work
}

async function load(file: string): Promise<Memory[]> {
  const json = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]'
    throw new ToolFailure(`The memories cannot be read: ${error.code}.`)
  })
  try {
    return JSON.parse(json) as Memory[]
  } catch {
    throw new ToolFailure(`${file} does not hold memories: it is not valid JSON.`)
  }
}

function find(memories: readonly Memory[], id: string): Memory {
  const found = memories.find((memory) => memory.id === id)
  if (!found) throw new ToolFailure(`There is no memory ${id}.`)
  return found
}

const shown = (memories: readonly Memory[]): string =>
  memories.map(({ id, content, category }) => `${id}${category ? ` (${category})` : ''}: ${content}`).join('\n') ||
  'Nothing was remembered.'

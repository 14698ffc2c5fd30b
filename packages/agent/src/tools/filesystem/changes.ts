import { readFile as readDisk, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { ToolCall } from '../../core/index.ts'
import { type AnyTool, parseInput } from '../define.ts'
import type { Filesystem } from '../files/files.ts'
import { type Edit, editFile, replaced, writeFile } from './write-file.ts'

/** What a call makes of a file. */
export interface FileChange {
  path: string
  /** Undefined: there is no such file yet. */
  before: string | undefined
  after: string
}

/** Larger files are not read to show what changes in them. */
const largest = 1024 * 1024

/** The tools that change one file, and what each would make of its text. */
const changing: readonly { tool: AnyTool<Filesystem>; after(input: Input, before: string | undefined): string }[] = [
  { tool: writeFile, after: ({ content }) => String(content) },
  { tool: editFile, after: ({ edits }, before = '') => replaced(before, edits as Edit[]) },
]

type Input = Readonly<Record<string, unknown>>

/** What a call would change, for a person to see before it runs. Undefined when it changes no file, or would fail. */
export async function changeOf({ name, input }: Pick<ToolCall, 'name' | 'input'>, cwd: string) {
  const found = changing.find(({ tool }) => tool.name === name)
  const read = found && parseInput(found.tool, input)
  if (!found || !read?.ok) return undefined
  const path = isAbsolute(String(read.input['path']))
    ? String(read.input['path'])
    : join(cwd, String(read.input['path']))
  try {
    const before = await textOf(path)
    const change: FileChange = { path, before, after: found.after(read.input, before) }
    return change.before === change.after ? undefined : change
  } catch {
    return undefined
  }
}

/** Undefined when there is none; throws for what is no file, or a large one. */
async function textOf(path: string): Promise<string | undefined> {
  const known = await stat(path).catch(() => undefined)
  if (!known) return undefined
  if (!known.isFile() || known.size > largest) throw new Error(`${path} cannot be shown.`)
  return readDisk(path, 'utf8')
}

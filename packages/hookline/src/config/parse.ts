import { basename, extname } from 'node:path'
import { type Note, note, type Where } from '../core/index.ts'
import { dialectOfFile, readsComments } from '../dialects/index.ts'
import { type Path, syntaxFlaw, type Tree } from './tree.ts'

export type ParsedConfig =
  | { ok: true; document: unknown; locate(path: Path): Where }
  | { ok: false; problem: Note; locate(path: Path): Where }

interface Format {
  name: string
  parse(text: string): Promise<Tree>
}

const yaml: Format = { name: 'YAML', parse: async (text) => (await import('./yaml.ts')).parseYaml(text) }
const json: Format = { name: 'JSON', parse: async (text) => (await import('./json.ts')).parseJsonText(text, false) }
const jsonc: Format = { name: 'JSONC', parse: async (text) => (await import('./json.ts')).parseJsonText(text, true) }

/** By the end of the file name; the parsers are loaded when they are needed. Anything else is read as YAML. */
const formats: Record<string, Format> = { '.yaml': yaml, '.yml': yaml, '.json': json, '.jsonc': jsonc }

export async function parseConfig(source: string, file: string, dialect?: string): Promise<ParsedConfig> {
  const text = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source
  const format = formatOf(file, dialect)
  const tree = await format.parse(text).catch(tooDeep)
  const place = placer(text, file)
  if (tree.ok) return { ok: true, document: tree.value, locate: (path) => place(() => tree.find(path)) }
  const { name } = format
  const where = place(() => tree.at)
  const problem =
    tree.kind === 'size'
      ? note('config-too-large', { size: `over ${tree.detail}`, limit: tree.detail }, { where })
      : note('config-syntax', { format: name, detail: tree.detail }, { where })
  return { ok: false, problem, locate: () => ({ file }) }
}

function formatOf(file: string, dialect: string | undefined): Format {
  const format = formats[extname(file).toLowerCase()] ?? yaml
  return format === json && readsComments(dialect ?? dialectOfFile(basename(file))) ? jsonc : format
}

/** The parsers recurse; what is nested deeper than the stack is no config. */
function tooDeep(error: unknown): Tree {
  if (error instanceof RangeError) return syntaxFlaw('it is nested too deeply', 0)
  throw error
}

/**
 * From an offset to line and column, both from 1. Looked for when somebody reads them: every hook has a place, and of
 * most nobody ever asks.
 */
export function placer(text: string, file: string): (find: () => number) => Where {
  let starts: number[] | undefined
  const lookUp = (offset: number) => {
    starts ??= lineStarts(text)
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - starts[low]! + 1 }
  }
  return (find) => {
    let found: { line: number; column: number } | undefined
    const look = () => {
      found ??= lookUp(find())
      return found
    }
    return {
      file,
      get line() {
        return look().line
      },
      get column() {
        return look().column
      },
    }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

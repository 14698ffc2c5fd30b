import { isAbsolute, resolve } from 'node:path'
import { type BuiltinKit, type Meaning, type ToolRow, tools } from '../core/index.ts'
import { quoteWords } from '../shell/index.ts'

/**
 * What a tool call would do. The table of our tools says it, and what people declare of theirs. For the rest, and for
 * arguments that neither lists, names tell: hosts name their tools as they like, so they are read without case and
 * separators, and without the server in front (`mcp__files__write_file`).
 */
export interface ToolCall {
  tool_name: string
  tool_input: Readonly<Record<string, unknown>>
  tool_category?: string | undefined
  cwd?: string | undefined
}

function folded(name: string): string {
  const known = foldedNames.get(name)
  if (known !== undefined) return known
  const own = name.split(/__|[:/.]/).at(-1)!
  const made = own.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (foldedNames.size >= mostNames) foldedNames.clear()
  foldedNames.set(name, made)
  return made
}

/** Tool names are few and come again with every call, but a host could make them up. */
const foldedNames = new Map<string, string>()
const mostNames = 256

const shellTools = new Set(
  (
    'shell bash sh zsh fish powershell pwsh cmd terminal console command execute exec run execcommand executecommand runcommand ' +
    'runshellcommand runterminalcmd runinterminal runbashcommand shellcommand shellexec localshell bashtool unifiedexec'
  ).split(' '),
)
const writingTools = new Set(
  (
    'write writefile writetofile edit editfile editfiles multiedit multieditfile create createfile createnewfile createdirectory mkdir ' +
    'delete deletefile removefile movefile renamefile copyfile applypatch applydiff patch strreplace strreplaceeditor ' +
    'strreplacebasededittool replaceinfile replacelines replace insert insertlines inserteditintofile notebookedit editnotebook savefile ' +
    'appendfile appendtofile searchreplace filewrite fileedit texteditor updatefile'
  ).split(' '),
)
const readingTools = new Set(
  (
    'read readfile readfiles readmanyfiles readmultiplefiles readtextfile view viewfile open openfile cat ls list listdir listdirectory ' +
    'listfiles glob grep search searchfiles searchfilecontent filesearch notebookread readnotebook getfile directorytree find findfiles fileread'
  ).split(' '),
)

/** Tells a writing tool that is not listed; what reads is everything else. */
const writes = /write|edit|create|delete|remove|move|rename|patch|replace|save|append|insert|update|upload/

const commandKeys = ['command', 'cmd', 'commands']
const shellKeys = [...commandKeys, 'script', 'input', 'code']
const directoryKeys = ['cwd', 'workdir', 'working_directory', 'workingDirectory', 'dir', 'directory']
const pathKeys = new Set(
  (
    'path paths file files file_path file_paths filepath filepaths filename target_file absolute_path relative_path notebook_path ' +
    'dir_path directory source destination old_path new_path target'
  ).split(' '),
)

type Declared = Pick<BuiltinKit, 'toolRow'>

interface Line {
  command: string
  cwd?: string
}

/** The command line that a call runs, and where; undefined when it runs none. One guard asks several times. */
export function shellOf(call: ToolCall, kit: Declared): Line | undefined {
  const row = rowOf(call, kit)
  const known = linesRead.get(call)
  if (known && known.row === row) return known.line
  const line = lineOf(call, row)
  // What may still change is read anew.
  if (Object.isFrozen(call) && Object.isFrozen(call.tool_input)) linesRead.set(call, { row, line })
  return line
}
const linesRead = new WeakMap<ToolCall, { row: ToolRow | undefined; line: Line | undefined }>()

function lineOf(call: ToolCall, row: ToolRow | undefined): Line | undefined {
  const lines = texts(valuesOf(call, row, ['command']))
  const rest = unlisted(call, row)
  for (const key of looseCommandKeys(call, row)) {
    const line = commandText(rest[key])
    if (line !== undefined) lines.push(line)
  }
  if (lines.length === 0) return undefined
  const listed = valuesOf(call, row, ['directory']).find((value) => typeof value === 'string')
  const own = listed ?? directoryKeys.map((key) => rest[key]).find((value) => typeof value === 'string')
  const cwd = own === undefined ? call.cwd : resolve(call.cwd ?? '/', String(own))
  const command = lines.join('\n')
  return cwd !== undefined && isAbsolute(cwd) ? { command, cwd } : { command }
}

export const isShell = (call: ToolCall, kit: Declared): boolean => runsCommands(call, rowOf(call, kit))

/** Whether it is known to send something to somebody. */
export const isSending = (call: ToolCall, kit: Declared): boolean => rowOf(call, kit)?.does.includes('send') === true

/** Whether it may take a file away: our table or a declaration says so, or nobody knows the tool and its name does. */
export function mayDelete(call: ToolCall, kit: Declared): boolean {
  const row = rowOf(call, kit)
  if (row?.does.includes('delete') || Object.values(row?.args ?? {}).includes('deletes')) return true
  return /delet|remov|rmdir|unlink|trash|patch|move|rename/i.test(folded(call.tool_name))
}

export interface PathUse {
  path: string
  access: 'read' | 'write'
}

/** The files that a call names, and whether it would change them. */
export function pathsOf(call: ToolCall, kit: Declared): PathUse[] {
  const row = rowOf(call, kit)
  const uses = new Map<string, PathUse['access']>()
  const add = (access: PathUse['access'], values: readonly unknown[]) => {
    const paths: string[] = []
    for (const value of values.flat()) collectPath(value, 0, paths)
    for (const path of paths) if (access === 'write' || !uses.has(path)) uses.set(path, access)
  }
  add('write', valuesOf(call, row, ['writes', 'deletes']))
  add('read', valuesOf(call, row, ['reads']))
  const rest = unlisted(call, row)
  const others: string[] = []
  collect(rest, 0, others)
  add(looseAccess(call, row), [...others, ...patched(rest)])
  return [...uses].map(([path, access]) => ({ path, access }))
}

function rowOf({ tool_name: name }: ToolCall, kit: Declared): ToolRow | undefined {
  return Object.hasOwn(tools, name) ? (tools as Record<string, ToolRow>)[name] : kit.toolRow?.(name)
}

function valuesOf({ tool_input: input }: ToolCall, row: ToolRow | undefined, wanted: readonly Meaning[]): unknown[] {
  if (!row) return []
  return Object.entries(row.args).flatMap(([key, meaning]) =>
    wanted.includes(meaning) && Object.hasOwn(input, key) ? [input[key]] : [],
  )
}

/**
 * The arguments of which only the name tells what they are. What our table lists is known. A declaration counts where it
 * says that something is done; that nothing is done with a `path` may be the word of a project that nobody has approved.
 */
function unlisted({ tool_name, tool_input: input }: ToolCall, row: ToolRow | undefined): ToolCall['tool_input'] {
  if (!row) return input
  const isOurs = Object.hasOwn(tools, tool_name)
  const isKnown = (meaning: Meaning | undefined) =>
    meaning !== undefined && (isOurs ? meaning !== 'other' : meaningful.has(meaning))
  const meaningOf = (key: string) => (Object.hasOwn(row.args, key) ? row.args[key] : undefined)
  return Object.fromEntries(Object.entries(input).filter(([key]) => !isKnown(meaningOf(key))))
}

const meaningful = new Set<Meaning>(['command', 'directory', 'reads', 'writes', 'deletes'])

const runsCommands = (call: ToolCall, row: ToolRow | undefined): boolean =>
  row?.does.includes('run') === true || call.tool_category === 'shell' || shellTools.has(folded(call.tool_name))

function looseCommandKeys(call: ToolCall, row: ToolRow | undefined): readonly string[] {
  if (runsCommands(call, row)) return shellKeys
  const name = folded(call.tool_name)
  return writingTools.has(name) || readingTools.has(name) ? [] : commandKeys
}

function looseAccess({ tool_name }: ToolCall, row: ToolRow | undefined): PathUse['access'] {
  if (row?.does.some((each) => each === 'write' || each === 'delete')) return 'write'
  const name = folded(tool_name)
  return writingTools.has(name) || (!readingTools.has(name) && writes.test(name)) ? 'write' : 'read'
}

const texts = (values: readonly unknown[]): string[] => values.flatMap((value) => commandText(value) ?? [])

/** One string as it is; a list of words as the command line that means the same. */
function commandText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || value.length === 0 || !value.every((word) => typeof word === 'string')) return undefined
  return quoteWords(value)
}

const deepest = 3

function collect(value: unknown, depth: number, paths: string[]): void {
  if (typeof value !== 'object' || value === null || depth > deepest) return
  if (Array.isArray(value)) {
    for (const item of value) collect(item, depth + 1, paths)
    return
  }
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key]
    if (!pathKeys.has(key)) collect(item, depth + 1, paths)
    else for (const each of Array.isArray(item) ? item : [item]) collectPath(each, depth, paths)
  }
}

function collectPath(value: unknown, depth: number, paths: string[]): void {
  if (typeof value === 'string') paths.push(value)
  else collect(value, depth + 1, paths)
}

const patchKeys = ['patch', 'input', 'diff']

/** A patch names its files in its text: as Codex's `apply_patch` does, and as unified diffs do. */
function patched(input: Readonly<Record<string, unknown>>): string[] {
  return patchKeys
    .map((key) => input[key])
    .filter((text) => typeof text === 'string')
    .flatMap((text) => [
      ...[...text.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm)].map((match) =>
        match[1]!.trim(),
      ),
      ...[...text.matchAll(/^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]+)/gm)].map((match) => match[1]!.trim()),
    ])
    .filter((path) => path !== '/dev/null')
}

import { isAbsolute, resolve } from 'node:path'
import { quoteWords } from '../shell/index.ts'

/**
 * What a tool call would do, by its name and arguments. Hosts name their tools as they like, so names are read
 * without case and separators, and without the server in front (`mcp__files__write_file`).
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

/** The command line that a call runs, and where; undefined when it runs none. */
export function shellOf(call: ToolCall): { command: string; cwd?: string } | undefined {
  const name = folded(call.tool_name)
  if (writingTools.has(name) || readingTools.has(name)) return undefined
  const { tool_input: input } = call
  const lines = []
  for (const key of isShell(call) ? shellKeys : commandKeys) {
    const line = commandText(input[key])
    if (line !== undefined) lines.push(line)
  }
  if (lines.length === 0) return undefined
  const own = directoryKeys.find((key) => typeof input[key] === 'string')
  const cwd = own === undefined ? call.cwd : resolve(call.cwd ?? '/', String(input[own]))
  const command = lines.join('\n')
  return cwd !== undefined && isAbsolute(cwd) ? { command, cwd } : { command }
}

export const isShell = (call: ToolCall): boolean =>
  call.tool_category === 'shell' || shellTools.has(folded(call.tool_name))

export interface PathUse {
  path: string
  access: 'read' | 'write'
}

/** The files that a call names, and whether it would change them. */
export function pathsOf(call: ToolCall): PathUse[] {
  const name = folded(call.tool_name)
  const access = writingTools.has(name) || (!readingTools.has(name) && writes.test(name)) ? 'write' : 'read'
  const paths: string[] = []
  collect(call.tool_input, 0, paths)
  paths.push(...patched(call.tool_input))
  return paths.length === 0 ? [] : [...new Set(paths)].map((path) => ({ path, access }))
}

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

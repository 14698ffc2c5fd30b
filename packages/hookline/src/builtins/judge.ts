import { isAbsolute, join, resolve } from 'node:path'
import type { BuiltinKit } from '../core/index.ts'
import { checkPath, type PathVerdict } from '../guards/paths/index.ts'
import {
  analyseIf,
  analyseOnce,
  readsOf,
  readsThroughLinks,
  type ShellVerdict,
  treesOf,
} from '../guards/shell/index.ts'
import { matchesGlob } from '../shell/index.ts'
import { isOwnRepository } from './repositories.ts'
import { type PathUse, pathsOf, shellOf, type ToolCall } from './tools.ts'

/** What the shell guard says of a call that runs a command; undefined for any other call. */
export function judgeShell(call: ToolCall, kit: BuiltinKit): ShellVerdict | undefined {
  const shell = shellOf(call, kit)
  return shell && analyseOnce({ command: shell.command, cwd: shell.cwd ?? kit.cwd, home: kit.home })
}

/** Whether a command only reads, here and now: where git looks is the user's own repository, and no link leads to secrets. */
export async function onlyReads(call: ToolCall, kit: BuiltinKit): Promise<ShellVerdict | undefined> {
  const shell = shellOf(call, kit)
  if (!shell) return undefined
  const input = { command: shell.command, cwd: shell.cwd ?? kit.cwd, home: kit.home }
  const { verdict, repositories } = analyseIf(input)
  if (verdict.verdict !== 'safe') return undefined
  const places = await Promise.all(repositories.map((each) => kit.realpath(each)))
  const own = await Promise.all(places.map((each) => isOwnRepository(each, kit)))
  if (own.includes(false)) return undefined
  const { secret, hidden, whole } = await lookBehind(call, kit)
  return secret === undefined && hidden === undefined && whole ? verdict : undefined
}

/** More files of a line are not looked up on disk. */
const mostLookups = 1_000

interface Behind {
  /** Why the path guard would refuse what is read, where only a link on disk shows that. */
  secret?: string
  /** A file with credentials that a pattern stands for, or that lies in a directory that is read out. */
  hidden?: string
  /** Whether everything was looked at. */
  whole: boolean
}

/**
 * What a command reads that its text does not show: `cat notes.txt`, where `notes.txt` leads to a key; `cat conf/*`, where one
 * lies. A link to a directory counts for what lies behind it.
 */
export async function lookBehind(call: ToolCall, kit: BuiltinKit): Promise<Behind> {
  const named = commandReads(call, kit)
  const shell = shellOf(call, kit)
  const input = shell && { command: shell.command, cwd: shell.cwd ?? kit.cwd, home: kit.home }
  const deep = input && readsThroughLinks(input)
  let left = mostLookups - named.length
  const found: string[] = []
  let hidden: string | undefined
  for (const path of named.slice(0, mostLookups)) {
    const meant = await matched(path, kit, left)
    left -= meant.length
    hidden ??= meant.find((each) => isSensitive(each, kit))
    found.push(path, ...meant)
  }
  const trees = (input ? treesOf(input) : []).filter(isAbsolute).slice(0, mostTrees)
  for (const tree of trees) hidden ??= (await filesBelow(tree, kit)).find((each) => isSensitive(each, kit))
  const below = deep ? (await Promise.all(found.slice(0, mostTrees).map((path) => filesBelow(path, kit)))).flat() : []
  for (const path of [...found, ...below]) {
    const real = await kit.realpath(path)
    if (real === path) continue
    const { verdict, why } = checkPath({ path: real, access: 'read', cwd: kit.cwd, home: kit.home })
    if (verdict === 'sensitive') return { secret: `${JSON.stringify(path)} is a link. ${why}`, whole: true }
  }
  return { ...(hidden === undefined ? {} : { hidden }), whole: left > 0 }
}

const isSensitive = (path: string, { cwd, home }: BuiltinKit): boolean =>
  checkPath({ path, access: 'read', cwd, home }).verdict === 'sensitive'

/** What the shell makes of `conf/*` and `*` in the middle; at most so many. */
async function matched(path: string, kit: Pick<BuiltinKit, 'list'>, most: number): Promise<string[]> {
  if (!/[*?[]/.test(path)) return []
  let found = ['']
  for (const part of path.split('/').slice(1)) {
    if (!/[*?[]/.test(part)) {
      found = found.map((each) => `${each}/${part}`)
      continue
    }
    const lists = found.map(async (each) => ({ each, entries: (await kit.list(each || '/')) ?? [] }))
    found = (await Promise.all(lists))
      .flatMap(({ each, entries }) =>
        entries.filter(({ name }) => isMeant(part, name)).map(({ name }) => `${each}/${name}`),
      )
      .slice(0, Math.max(0, most))
  }
  return found
}

/** A pattern means hidden names only where it begins with a dot. */
const isMeant = (pattern: string, name: string): boolean =>
  (!name.startsWith('.') || pattern.startsWith('.')) && matchesGlob(pattern, name)

const mostTrees = 8
const deepestTree = 4

/** What lies below a directory, as far down and as much as may be looked at. */
async function filesBelow(path: string, kit: Pick<BuiltinKit, 'list'>): Promise<string[]> {
  const files: string[] = []
  let level = [path]
  let left = mostLookups
  for (let depth = 0; depth < deepestTree && level.length > 0 && left > 0; depth++) {
    const lists = await Promise.all(level.map(async (each) => ({ each, entries: (await kit.list(each)) ?? [] })))
    level = []
    for (const { each, entries } of lists)
      for (const { name, directory } of entries) {
        if (left-- <= 0) break
        if (!directory) files.push(join(each, name))
        else if (name !== '.git' && name !== 'node_modules') level.push(join(each, name))
      }
  }
  return files
}

/** The files that a command reads out, by their full paths. */
export function commandReads(call: ToolCall, kit: BuiltinKit): string[] {
  const shell = shellOf(call, kit)
  if (!shell) return []
  const paths = readsOf({ command: shell.command, cwd: shell.cwd ?? kit.cwd, home: kit.home })
  return [...new Set(paths.filter(isAbsolute))]
}

/**
 * Why nobody knows what a command does: the guard has a budget, and this is beyond it. Whoever judges commands asks then,
 * or padding would buy silence; where nobody can be asked, the engine makes a refusal of that.
 */
export function unreadable(judged: ShellVerdict | undefined): string | undefined {
  if (!judged?.categories.includes('limit')) return undefined
  return `The command could not be read to its end, so what it does is not known. It starts: ${judged.blamed}`
}

/** What the path guard says of each file that a call names, links followed. */
export async function judgePaths(
  call: ToolCall,
  kit: BuiltinKit,
  roots?: readonly string[],
): Promise<(PathUse & PathVerdict & { full: string })[]> {
  const real = roots && (await Promise.all(roots.map((root) => kit.realpath(root))))
  return Promise.all(
    pathsOf(call, kit).map(async (use) => {
      const full = absolute(use.path, kit)
      const question = { ...use, cwd: kit.cwd, home: kit.home, realpath: await kit.realpath(full) }
      return { ...use, full, ...checkPath(real && use.access === 'write' ? { ...question, roots: real } : question) }
    }),
  )
}

export function absolute(path: string, kit: Pick<BuiltinKit, 'cwd' | 'home'>): string {
  if (path === '~' || path.startsWith('~/')) return resolve(kit.home, path.slice(2))
  return isAbsolute(path) ? path : resolve(kit.cwd, path)
}

/** The words of a command line, roughly: for patterns people wrote, not for judging what the line does. */
export const wordsOf = (command: string): string[] => command.split(/[\s'"`;|&<>()=,]+/).filter((word) => word !== '')

import { randomUUID } from 'node:crypto'
import { chmod, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { applyEdits, type FormattingOptions, modify } from 'jsonc-parser'
import { isMap, isNode, isSeq, type Node, parseDocument, type YAMLMap, YAMLSeq } from 'yaml'
import { bundles } from '../../builtins/bundles/index.ts'
import type { ConfigFile } from '../../config/index.ts'
import { readConfig, validateHooks } from '../../config/index.ts'
import { type Hook, HooklineError, note } from '../../core/index.ts'
import { loadDialect } from '../../dialects/index.ts'
import { createExecutors } from '../../executors/index.ts'
import { loadHooks } from '../../hooks/index.ts'
import { makeDirectory, realPath } from '../../platform/index.ts'
import { type Inspection, openTrust, placeOf } from '../../trust/index.ts'
import { imagined } from '../inspect-hooks.ts'

/** The hooks that the text amounts to. A text with problems is refused, so that nothing broken is ever written. */
export async function hooksOf(target: ConfigFile, text: string): Promise<Hook[]> {
  const { hooks, problems } = await readHooks(target, text)
  if (problems.length > 0) throw new HooklineError(note('edit-refused', { file: target.file }), problems)
  return hooks
}

async function readHooks({ file, layer, dialect }: ConfigFile, text: string) {
  const config = await readConfig(file, { layer, text, bundles, ...(dialect !== undefined && { dialect }) })
  const executors = await createExecutors(config.hooks.map((hook) => hook.run.type))
  const { hooks, problems } = await validateHooks(config.hooks, executors, config.locateIn)
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  return { hooks, problems: [...config.problems, ...problems] }
}

/** Replaces the file as a whole, so that nobody ever reads half of it. */
export async function writeWhole(file: string, text: string): Promise<void> {
  makeDirectory(dirname(file), 0o777)
  const target = realPath(file)
  const draft = `${target}.${randomUUID()}.tmp`
  try {
    await writeFile(draft, text, { flag: 'wx' })
    const before = await stat(target).catch(() => undefined)
    if (before) await chmod(draft, before.mode)
    await rename(draft, target)
  } finally {
    await rm(draft, { force: true })
  }
}

/** The lists of a file, in the order in which they stand: bundles come before rules, as they count before them, and hooks are last; cases have a file of their own. */
const lists = ['use', 'disabled', 'rules', 'hooks', 'cases'] as const
export type ListKey = (typeof lists)[number]

/** Changes of a config that leave everything else as it is written, comments included. */
export interface Editor {
  /** One more at the end of the list under this key. */
  append(text: string, key: ListKey, value: unknown, comment?: string): string
  remove(text: string, path: readonly [key: string, index: number]): string
  /** This rule in the place of another, whose comments it keeps. */
  replaceRule(text: string, index: number, rule: unknown): string
  /** This value in the place of whatever is there. */
  set(text: string, path: readonly (string | number)[], value: unknown): string
}

export function editorFor(file: string): Editor {
  return /^\.jsonc?$/i.test(extname(file)) ? json : yaml
}

const yaml: Editor = {
  append(text, key, value, comment) {
    const document = parseDocument(text)
    const node = document.createNode(value) as Node
    if ((key === 'rules' || key === 'cases') && isMap(node)) inOneLine(node)
    if (comment !== undefined && comment !== '') node.commentBefore = ` ${comment}`
    const list = document.get(key)
    if (isSeq(list)) {
      if (list.items.length === 0) list.flow = false
      list.add(node)
    } else {
      const added = new YAMLSeq<Node>()
      added.add(node)
      document.set(key, added)
      if (isMap(document.contents))
        for (const later of lists.slice(lists.indexOf(key) + 1).reverse())
          moveBefore(document.contents.items, key, later)
    }
    return document.toString(styleOf(text))
  },
  remove(text, path) {
    const document = parseDocument(text)
    const list = document.get(path[0])
    // The parser gives a comment before the first entry to the list; its last paragraph belongs to the entry.
    if (isSeq(list) && path[1] === 0) list.commentBefore = paragraphsBefore(list.commentBefore)
    document.deleteIn(path)
    if (isSeq(list) && list.items.length === 0) list.flow = true
    return document.toString(styleOf(text))
  },
  replaceRule(text, index, rule) {
    const document = parseDocument(text)
    const before = document.getIn(['rules', index], true)
    const node = document.createNode(rule)
    if (isMap(node)) inOneLine(node)
    if (isNode(before)) {
      if (before.commentBefore) node.commentBefore = before.commentBefore
      if (before.comment) node.comment = before.comment
      if (before.spaceBefore) node.spaceBefore = true
    }
    document.setIn(['rules', index], node)
    return document.toString(styleOf(text))
  },
  set(text, path, value) {
    const document = parseDocument(text)
    const node = document.createNode(value)
    if (isMap(node)) node.flow = true
    document.setIn(path, node)
    return document.toString(styleOf(text))
  },
}

function paragraphsBefore(comment: string | null | undefined): string | null {
  const at = comment?.lastIndexOf('\n\n') ?? -1
  return at === -1 ? null : comment!.slice(0, at)
}

/** What a rule is about reads best in one line: `deny: { run: git push --force }`. */
function inOneLine(rule: YAMLMap): void {
  for (const { value } of rule.items) if (isMap(value)) value.flow = true
}

function moveBefore(pairs: { key: unknown }[], key: string, other: string): void {
  const from = pairs.findIndex((pair) => String(pair.key) === key)
  const to = pairs.findIndex((pair) => String(pair.key) === other)
  if (to === -1 || from < to) return
  pairs.splice(to, 0, ...pairs.splice(from, 1))
}

/** Lists stay indented as they are, and long lines stay long. */
function styleOf(text: string) {
  return { lineWidth: 0, indentSeq: !/^\w+:[ \t]*(?:#.*)?\r?\n(?:#.*\r?\n)*- /m.test(text) }
}

const formattingOptions: FormattingOptions = { insertSpaces: true, tabSize: 2 }

const json: Editor = {
  append: (text, key, value) =>
    applyEdits(text, modify(text, [key, -1], value, { formattingOptions, isArrayInsertion: true })),
  remove: (text, path) => applyEdits(text, modify(text, [...path], undefined, { formattingOptions })),
  replaceRule: (text, index, rule) => applyEdits(text, modify(text, ['rules', index], rule, { formattingOptions })),
  set: (text, path, value) => applyEdits(text, modify(text, [...path], value, { formattingOptions })),
}

/** Hooks of this file that nobody has approved yet, as they are now, or as `text` has them; also those that hold all the same. */
export async function unapproved(
  target: ConfigFile,
  cwd: string,
  isMeant: (hook: Hook) => boolean,
  text?: string,
): Promise<Inspection[]> {
  const trust = openTrust()
  const hooks = (text === undefined ? await hooksIn(target) : (await readHooks(target, text)).hooks).filter(isMeant)
  const executors = await createExecutors(hooks.map((hook) => hook.run.type))
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  const inspections: Inspection[] = []
  for (const hook of hooks)
    inspections.push(
      trust.inspect(
        hook,
        placeOf(hook, imagined(hook, cwd), await loadDialect(hook.dialect), executors[hook.run.type]),
      ),
    )
  return inspections.filter(({ state }) => state === 'not-approved' || state === 'changed' || state === 'holds')
}

async function hooksIn(target: ConfigFile): Promise<Hook[]> {
  const { hooks, executors } = await loadHooks({ files: [target], strict: false })
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  return hooks
}

export const approveNow = (inspections: readonly Inspection[]): Promise<void> => openTrust().approve(inspections)

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project.ts'

/** A fenced piece of a page. */
export interface Snippet {
  /** Page and line, as an editor opens it. */
  at: string
  /** What the fence says it is, in one spelling: `ts`, `sh`, `yaml`, `json`, `text`, or whatever else stands there. */
  language: string
  text: string
  /** Why it is not checked, from `<!-- not checked: … -->` on the line above the fence. */
  unchecked?: string
}

const spellings: Record<string, string> = {
  typescript: 'ts',
  bash: 'sh',
  shell: 'sh',
  yml: 'yaml',
  jsonc: 'json',
  '': 'text',
}

/** The pages that people read: the README, the reference and the guides; and what agents read of us. */
export function pages(): string[] {
  const markdown = (folder: string) =>
    existsSync(join(projectRoot, folder))
      ? readdirSync(join(projectRoot, folder)).flatMap((name) => (name.endsWith('.md') ? [join(folder, name)] : []))
      : []
  const skills = 'packages/hookline/skills/hookline'
  return ['README.md', ...markdown('docs'), ...markdown('docs/guides'), ...markdown(skills)]
}

export function textOf(page: string): string {
  return readFileSync(join(projectRoot, page), 'utf8')
}

export function snippetsOf(page: string): Snippet[] {
  const lines = textOf(page).split('\n')
  const snippets: Snippet[] = []
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', fence, info = ''] = /^(\s*)(`{3,}|~{3,})\s*(.*)$/.exec(lines[at]!) ?? []
    if (fence === undefined) continue
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence)
    const word = info.trim().split(/\s/)[0]!
    const unchecked = /^\s*<!-- not checked: (.+) -->$/.exec(lines[at - 1] ?? '')?.[1]
    snippets.push({
      at: `${page}:${at + 1}`,
      language: spellings[word] ?? word,
      text: lines
        .slice(at + 1, end)
        .map((line) => `${line.startsWith(indent) ? line.slice(indent.length) : line}\n`)
        .join(''),
      ...(unchecked !== undefined && { unchecked }),
    })
    at = end
  }
  return snippets
}

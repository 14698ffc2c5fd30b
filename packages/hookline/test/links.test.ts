import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageFolders } from '../../../scripts/setup.mjs'

/** Links of the documentation lead somewhere, and its index leads everywhere. */
const root = join(import.meta.dirname, '../../..')
const read = (page: string): string => readFileSync(join(root, page), 'utf8')
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file))

const packages = packageFolders()
const pages = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...filesIn('docs', '.md'),
  // hookline's own is a copy of the README of the repository, made when it is packed.
  ...packages.filter((folder) => folder !== 'packages/hookline').map((folder) => `${folder}/README.md`),
  'examples/README.md',
]

describe.each(pages)('%s', (page) => {
  it('links to files and headings that exist', () => {
    expect(linksIn(page).filter((link) => !leadsSomewhere(link))).toEqual([])
  })
})

it('every page of docs/ is reachable from its index', () => {
  const reached = new Set(['docs/README.md'])
  for (const page of reached)
    for (const { path } of linksIn(page)) if (path.startsWith('docs/') && path.endsWith('.md')) reached.add(path)
  expect(pages.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([])
})

it('every page of docs/ that messages, help and comments name exists', () => {
  const sources = packages.flatMap((folder) => filesIn(`${folder}/src`, '.ts'))
  const named = sources.flatMap((file) =>
    [...read(file).matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([name]) => ({ file, name })),
  )
  expect(named.length).toBeGreaterThan(0)
  const missing = named.filter(({ name }) => {
    const [path = '', anchor] = name.split('#')
    return !leadsSomewhere({ path, ...(anchor !== undefined && { anchor }) })
  })
  expect(missing).toEqual([])
})

interface Link {
  /** From the root of the repository. */
  path: string
  anchor?: string
}

/** Links to files of this repository; what is in code is none. */
function linksIn(page: string): Link[] {
  const prose = read(page)
    .replace(/^(\s*)(`{3,}|~{3,})[\s\S]*?^\s*\2\s*$/gm, '')
    .replace(/`[^`\n]+`/g, '``')
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, target]) => {
    if (/^[a-z]+:/.test(target!)) return []
    const [path = '', anchor] = target!.split('#')
    const file = path === '' ? page : relative('.', normalize(join(dirname(page), path)))
    return { path: file, ...(anchor !== undefined && { anchor }) }
  })
}

function leadsSomewhere({ path, anchor }: Link): boolean {
  const file = join(root, path)
  if (!existsSync(file)) return false
  if (anchor === undefined) return true
  return statSync(file).isFile() && anchorsIn(path).has(anchor)
}

const known = new Map<string, Set<string>>()

/** As GitHub names headings: lower case, without punctuation, spaces as hyphens, repeated ones numbered. */
function anchorsIn(page: string): Set<string> {
  const found = known.get(page)
  if (found) return found
  const anchors = new Set<string>()
  const prose = read(page).replace(/^(`{3,}|~{3,})[\s\S]*?^\1\s*$/gm, '')
  for (const [, heading] of prose.matchAll(/^#{1,6} +(.+)$/gm)) {
    const name = heading!
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    let anchor = name
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`
    anchors.add(anchor)
  }
  known.set(page, anchors)
  return anchors
}

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ParseError, parse as parseJson } from 'jsonc-parser'
import { forEachChild, parse as parseShell, type SyntaxNode } from 'unbash'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { loadRehearsal, loadTeam, playRehearsal } from '../../agent/src/index.ts'
import { readCases } from '../src/cli/cases/read.ts'
import { parseOptions, spellOut } from '../src/cli/command.ts'
import { commands } from '../src/cli/commands/index.ts'
import { isRecord } from '../src/core/index.ts'
import { binary, hookline, nobody } from './support/cli.ts'
import { projectRoot } from './support/project.ts'
import { scratch } from './support/scratch.ts'
import { pages, type Snippet, snippetsOf, textOf } from './support/snippets.ts'
import { linkPackages, typeErrors } from './support/type-check.ts'

/** Every snippet of the documentation is type-checked, decoded, parsed or run; a page that lies fails here. */
const snippets = pages().flatMap(snippetsOf)
const checked = (language: string) =>
  snippets.filter((snippet) => snippet.language === language && snippet.unchecked === undefined)
const titled = (language: string) => checked(language).map((snippet) => [snippet.at, snippet] as const)

it('every snippet is in a language that is checked here, or says that it is plain text', () => {
  const known = new Set(['ts', 'sh', 'yaml', 'json', 'text'])
  expect(snippets.filter(({ language, unchecked }) => !known.has(language) && unchecked === undefined)).toEqual([])
})

it('the TypeScript compiles against the package, in strict mode', () => {
  const files = checked('ts').map(({ at, text }) => [`${at.replace(/[/:]/g, '_')}.ts`, `${text}\nexport {}\n`])
  const directory = scratch({ ...Object.fromEntries(files), 'package.json': '{ "type": "module" }' })
  linkPackages(directory, ['@types/node', ...checked('ts').flatMap(packagesIn)])
  expect(typeErrors(directory)).toBe('')
})

describe('commands', () => {
  it.each(titled('sh'))('%s calls only what exists', async (_at, { text }) => {
    const script = parseShell(text)
    expect(script.errors ?? []).toEqual([])
    const problems = await Promise.all(callsIn(script).map(([name, ...words]) => programs[name ?? '']?.(words)))
    expect(problems.flatMap((problem) => problem ?? [])).toEqual([])
  })

  const promises = checked('sh').flatMap(({ at, text }) =>
    [...text.matchAll(/^(?!#)(.+)\n# (\{.+\})$/gm)].map(([, line, output]) => [at, line!, output!] as const),
  )
  it.runIf(promises.length > 0).each(promises)('%s: %s prints what it promises', (_at, line, output) => {
    const call = `"${process.execPath}" "${binary}" "$@"`
    const script = `hookline() { ${call}; }\nnpx() { shift; ${call}; }\n${line}`
    const env = { ...process.env, ...nobody }
    expect(execFileSync('/bin/sh', ['-c', script], { cwd: scratch(), env, encoding: 'utf8' })).toBe(`${output}\n`)
  })

  it.each(pages())('%s names only commands and options that exist', async (page) => {
    const prose = textOf(page).replace(/^(\s*)(`{3,}|~{3,})[\s\S]*?^\s*\2\s*$/gm, '')
    const spans = [...prose.matchAll(/`(?:npx )?hookline ([^`]+)`/g)].map((match) => match[1]!)
    const problems = await Promise.all(spans.map(namesUnknown))
    expect(problems.flatMap((problem) => problem ?? [])).toEqual([])
  })
})

describe('files', () => {
  it.each(titled('yaml'))('%s can be read, and all of it has an effect', async (_at, snippet) => {
    const document = parseDocument(snippet.text)
    expect(document.errors).toEqual([])
    expect(await problemsOf(snippet, document.toJS())).toEqual([])
  })

  it.runIf(checked('json').length > 0).each(titled('json'))('%s can be read', async (_at, snippet) => {
    const errors: ParseError[] = []
    const document: unknown = parseJson(snippet.text, errors, { allowTrailingComma: true })
    expect(errors).toEqual([])
    // JSON is shown for payloads and replies as well; only a config can be checked further.
    if (isRecord(document) && 'hooks' in document) expect(await problemsOf(snippet, document)).toEqual([])
  })
})

function packagesIn({ text }: Snippet): string[] {
  const specifiers = [...text.matchAll(/from '((?!node:)[^'.][^']*)'/g)].map((match) => match[1]!)
  return specifiers.map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0])
}

/** The commands of a script, word by word; what is known only when it runs is an empty word. */
function callsIn(node: SyntaxNode): string[][] {
  const calls: string[][] = []
  if (node.type === 'Command')
    calls.push([node.name, ...node.args].map((word) => (word && 'value' in word ? String(word.value) : '')))
  forEachChild(node, (child) => void calls.push(...callsIn(child)))
  return calls
}

/** What is wrong with a call of these programs; others are not ours to know. */
const programs: Record<string, (words: string[]) => Promise<string | undefined> | string | undefined> = {
  hookline: wrongUsage,
  npx(words) {
    const at = words.findIndex((word) => !word.startsWith('-'))
    return words[at] === 'hookline' ? wrongUsage(words.slice(at + 1)) : undefined
  },
  npm([command = '', script = '']) {
    const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { scripts: object }
    const name = command === 'run' ? script : ['start', 'test'].includes(command) ? command : undefined
    return name === undefined || name in scripts ? undefined : `There is no script \`${name}\`.`
  },
}

async function wrongUsage(words: string[]): Promise<string | undefined> {
  const [name = '', ...args] = words
  if (['help', '--help', '--version', ''].includes(name)) return undefined
  const entry = commands[name]
  if (!entry) return `There is no command \`${name}\`.`
  const { command } = await entry.load()
  try {
    parseArgs({ args: spellOut(args, command), options: parseOptions(command), allowPositionals: true, strict: true })
    return undefined
  } catch (error) {
    return `hookline ${words.join(' ')}: ${(error as Error).message}`
  }
}

/** In prose a call may hold placeholders: only its command and the names of its options are looked at. */
async function namesUnknown(call: string): Promise<string | undefined> {
  const [name = '', ...words] = call.split(/\s+/)
  if (!/^[a-z-]+$/.test(name)) return undefined
  const options = words.flatMap((word) => /^--[a-z][a-z-]*/.exec(word) ?? [])
  const entry = commands[name]
  if (!entry) return wrongUsage([name])
  const known = Object.keys((await entry.load()).command.options).concat('help')
  const unknown = options.find((option) => !known.includes(option.slice(2)))
  return unknown === undefined ? undefined : `hookline ${call}: there is no option \`${unknown}\`.`
}

/** What is wrong with a file of ours; its top-level keys identify its kind. */
async function problemsOf(snippet: Snippet, document: unknown): Promise<unknown[]> {
  if (Array.isArray(document)) return check(snippet, `version: 1\nhooks:\n${indented(snippet.text)}`)
  if (!isRecord(document)) return [`${snippet.at} is neither a map nor a list.`]
  if ('rehearsal' in document) return playable(snippet)
  if ('cases' in document) return (await readCases(written(snippet.text))).problems
  if ('agents' in document) return (await loadTeam(written(snippet.text), {})).notes
  if ('toolsets' in document)
    return (await loadTeam(written(`agents:\n  root:\n${indented(indented(snippet.text))}`), {})).notes
  if (['version', 'hooks', 'use', 'rules'].some((key) => key in document)) return check(snippet, snippet.text)
  if ('run' in document || 'matcher' in document) {
    const rest = 'event' in document ? '' : '    event: pre_tool_use\n'
    const [first = '', ...lines] = indented(indented(snippet.text)).split('\n')
    return check(snippet, `version: 1\nhooks:\n${first.replace('    ', '  - ')}\n${rest}${lines.join('\n')}`)
  }
  // A file of another program, shown with its name.
  return nameIn(snippet.text) ? [] : [`${snippet.at} does not say of what it is a part.`]
}

async function playable(snippet: Snippet): Promise<unknown[]> {
  const model = playRehearsal(await loadRehearsal(written(snippet.text)))
  return model.id.startsWith('rehearsal/') ? [] : [model.id]
}

/** What `hookline check` finds, warnings too, in the place that the comment at the top names. That scripts are not there is no fault. */
async function check({ text: shown, language }: Snippet, text: string): Promise<unknown[]> {
  const name = nameIn(shown) ?? (language === 'json' ? 'hooks.json' : 'hookline.yaml')
  const directory = scratch()
  const [home, cwd] = [join(directory, 'home'), join(directory, 'project')]
  const isUsers = name.startsWith('~/')
  const file = isUsers ? join(home, name.slice(2)) : join(cwd, name)
  for (const each of [cwd, dirname(file)]) mkdirSync(each, { recursive: true })
  writeFileSync(file, text.replace(/^\/\/.*\n/, ''))
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }
  const { stdout, stderr } = await hookline(['check', '--json', ...(isUsers ? [] : [file])], '', { cwd, env })
  expect(stderr).toBe('')
  const { files, findings } = JSON.parse(stdout) as { files: unknown[]; findings: { code: string; message: string }[] }
  expect(files).toHaveLength(1)
  return findings.filter(({ code }) => code !== 'program-missing').map(({ code, message }) => `${code}: ${message}`)
}

/** The file that a comment in the first line names. */
function nameIn(text: string): string | undefined {
  return /^(?:#|\/\/) (\S+\.\w+)\n/.exec(text)?.[1]
}

function written(text: string): string {
  const name = basename(nameIn(text) ?? 'it.yaml')
  return join(scratch({ [name]: text }), name)
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}

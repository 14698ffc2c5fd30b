import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { problems } from '../src/core/errors.ts'
import { nobody } from './support/cli.ts'
import { remove, scratch } from './support/scratch.ts'

/** What a stranger gets from the registry: the packed packages, installed into empty folders. */
const root = join(import.meta.dirname, '../../..')
const packages = [
  ...(['hookline', 'agent', 'server', 'sandbox', 'adapters/mcp', 'adapters/acp'] as const),
  ...(['adapters/ai-sdk', 'adapters/openai-agents', 'adapters/langchain', 'adapters/claude-agent-sdk'] as const),
] as const
const tarballs = {} as Record<(typeof packages)[number], string>
/** Only hookline. */
let alone: string
/** All packages, and what a TypeScript program of a user has beside them. */
let together: string

beforeAll(() => {
  const packed = folder()
  const each = packages.flatMap((name) => ['--workspace', `packages/${name}`])
  execFileSync('npm', ['pack', '--silent', '--pack-destination', packed, ...each], { cwd: root })
  for (const name of packages) {
    const { name: called, version } = manifestOf(join(root, 'packages', name))
    tarballs[name] = join(packed, `${called.replace('@', '').replace('/', '-')}-${version}.tgz`)
  }
  alone = installed(tarballs.hookline)
  // Adapters bring their SDKs along, which are large: their packages are looked at, and their contract runs from source.
  together = unpacked('hookline', 'agent', 'sandbox', 'adapters/mcp', 'adapters/acp')
  for (const name of ['zod', '@types/node', 'undici-types']) bring(name, together)
}, 300_000)

const folders: string[] = []
afterAll(() => folders.forEach((each) => void remove(each)))

/** A folder that lasts as long as this file's tests. */
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'hookline-packed-'))
  folders.push(made)
  return made
}

describe('npm install hookline', () => {
  it('brings at most 6 packages and 12 MB', () => {
    const { packages } = JSON.parse(readFileSync(join(alone, 'node_modules/.package-lock.json'), 'utf8'))
    expect(Object.keys(packages).length).toBeLessThanOrEqual(6)
    expect(bytesIn(join(alone, 'node_modules'))).toBeLessThanOrEqual(12_000_000)
  })

  it('runs no install script and warns of no engine', () => {
    const { scripts } = JSON.parse(readFileSync(join(alone, 'node_modules/hookline/package.json'), 'utf8'))
    expect(Object.keys(scripts).filter((name) => /install|prepare/.test(name))).toEqual([])
    expect(readFileSync(join(alone, 'npm.log'), 'utf8')).not.toMatch(/EBADENGINE|install-scripts/)
  })

  it('gives a command that decides, without any other package', () => {
    const config = join(alone, 'hookline.yaml')
    writeFileSync(config, 'version: 1\nuse: [security]\n')
    const payload = { session_id: 's', tool_name: 'shell', tool_input: { command: 'rm -fr /' } }
    const { status, stdout } = cli(alone, ['dispatch', '--event', 'pre_tool_use', '--config', config], payload)
    expect(JSON.parse(stdout).decision.ruling).toBe('deny')
    expect(status).toBe(0)
  })

  it.each([
    ['run', 'agent'],
    ['sessions', 'agent'],
    ['acp', 'acp'],
    ['mcp', 'mcp'],
    ['serve', 'server'],
  ])('`hookline %s` says in one line what to install', (command, name) => {
    const { status, stderr } = cli(alone, [command])
    expect(status).toBe(1)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toMatch(new RegExp(`npm install @hookline/${name}@\\d+\\.\\d+\\.\\d+`))
  })

  it.each([
    ['sandbox', { type: 'sandbox', command: 'true' }, '@hookline/sandbox'],
    ['model', { type: 'model', model: 'ollama/m', prompt: 'p', schema: 'decision' }, '@hookline/agent'],
  ])('a %s hook without its package blocks, and says what to install', (_type, run, name) => {
    const config = join(alone, 'guard.json')
    writeFileSync(config, JSON.stringify({ version: 1, hooks: [{ id: 'g', event: 'pre_tool_use', run }] }))
    const payload = { session_id: 's', tool_name: 'shell', tool_input: { command: 'ls' } }
    const args = ['dispatch', '--event', 'pre_tool_use', '--config', config, '--trust', 'all']
    const { status, stdout, stderr } = cli(alone, args, payload)
    expect(JSON.parse(stdout).decision.ruling).toBe('deny')
    expect(stdout).toContain(`npm install ${name}@`)
    expect(stderr).not.toMatch(/^ +at /m)
    expect(status).toBe(0)
  })

  it('a TypeScript hook without jiti blocks, and says what to install', () => {
    writeFileSync(join(alone, 'guard.ts'), 'export default () => undefined\n')
    const config = join(alone, 'typescript.json')
    const hook = { id: 'g', event: 'pre_tool_use', run: { type: 'function', module: 'guard.ts' } }
    writeFileSync(config, JSON.stringify({ version: 1, hooks: [hook] }))
    const payload = { session_id: 's', tool_name: 'shell', tool_input: { command: 'ls' } }
    const args = ['dispatch', '--event', 'pre_tool_use', '--config', config, '--trust', 'all']
    const { stdout } = cli(alone, args, payload)
    expect(JSON.parse(stdout).decision.ruling).toBe('deny')
    expect(stdout).toContain('needs jiti, which is not installed beside hookline')
  })

  it('a package of ours in the working directory does not run', () => {
    const clone = scratch()
    for (const [name, entries] of [
      ['sandbox', ['.']],
      ['agent', ['.', './judge', './commands']],
      ['acp', ['.', './commands']],
      ['mcp', ['.', './commands']],
      ['server', ['.', './commands']],
    ] as const) {
      const directory = join(clone, 'node_modules/@hookline', name)
      mkdirSync(directory, { recursive: true })
      const { version } = JSON.parse(readFileSync(join(alone, 'node_modules/hookline/package.json'), 'utf8'))
      const exports = Object.fromEntries(entries.map((entry) => [entry, { default: './index.mjs' }]))
      writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: `@hookline/${name}`, version, exports }))
      writeFileSync(join(directory, 'index.mjs'), `import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')\n`)
    }
    const hook = { id: 'g', event: 'pre_tool_use', run: { type: 'sandbox', command: 'true' } }
    writeFileSync(join(clone, 'hookline.json'), JSON.stringify({ version: 1, hooks: [hook] }))
    const payload = { session_id: 's', tool_name: 'shell', tool_input: { command: 'ls' } }
    for (const args of [
      ['run', '-p', 'hello'],
      ['sessions'],
      ['acp', '--', 'true'],
      ['mcp', 'tools'],
      ['serve', '--listen', '127.0.0.1:0'],
      ['list'],
      ['dispatch', '--event', 'pre_tool_use', '--trust', 'all'],
    ])
      cli(alone, args, payload, clone)
    expect(existsSync(join(clone, 'ran'))).toBe(false)
  })

  it('carries the pages that messages point to', () => {
    const pages = Object.values(problems).flatMap(
      ({ message, remedy }) => `${message} ${remedy}`.match(/docs\/[\w./-]+\.md/g) ?? [],
    )
    expect(pages.length).toBeGreaterThan(0)
    for (const page of new Set(pages)) expect(existsSync(join(alone, 'node_modules/hookline', page)), page).toBe(true)
  })

  it('names the licence of every package whose code is bundled', () => {
    for (const name of packages) {
      const dist = join(root, 'packages', name, 'dist')
      const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js.map'))
      const sources = maps.flatMap((file) => JSON.parse(readFileSync(join(dist, file), 'utf8')).sources as string[])
      const bundled = new Set(
        sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []),
      )
      const licences = existsSync(join(dist, 'LICENSES.txt')) ? readFileSync(join(dist, 'LICENSES.txt'), 'utf8') : ''
      for (const each of bundled) expect(licences, `${name} bundles ${each}`).toMatch(new RegExp(`^# ${each} \\d`, 'm'))
    }
  })
})

describe('a program of a user', () => {
  it('type-checks with strict and without skipLibCheck, with its own zod', () => {
    writeFileSync(join(together, 'program.ts'), program)
    const { stdout, status } = tsc(together)
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })

  it('runs: builtin, executor and dialect of its own', () => {
    const script = join(together, 'program.mjs')
    const compiled = spawnSync(
      process.execPath,
      [
        compiler,
        '--target',
        'es2022',
        '--module',
        'nodenext',
        '--skipLibCheck',
        '--types',
        'node',
        '--noCheck',
        '--ignoreConfig',
        '--outDir',
        join(together, 'out'),
        'program.ts',
      ],
      { cwd: together, encoding: 'utf8' },
    )
    expect(compiled.stdout).toBe('')
    cpSync(join(together, 'out/program.js'), script)
    const { stdout, stderr } = spawnSync(process.execPath, [script], {
      cwd: together,
      encoding: 'utf8',
      env: environment(),
    })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({ builtin: 'deny', executor: 'ask', sandboxed: 'deny' })
  })

  it('`hookline run` answers with all packages installed', () => {
    const { status, stdout } = cli(together, ['run', '-p', 'hello'])
    expect(stdout).toContain('rehearsal model')
    expect(status).toBe(0)
  })
})

describe.each(packages)('the package %s', (name) => {
  it('has exports that resolve (publint)', async () => {
    const tarball = readFileSync(tarballs[name])
    const data = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) as ArrayBuffer
    const { messages } = await publint({ pack: { tarball: data }, level: 'warning' })
    expect(messages).toEqual([])
  })

  it('has types that resolve (are the types wrong)', async () => {
    const { analysis } = { analysis: await checkPackage(createPackageFromTarballData(readFileSync(tarballs[name]))) }
    const problems = 'problems' in analysis ? analysis.problems : ['no types']
    // It is an ES module, and can be required on Node 20.19 and later; older resolvers are not supported.
    const known = new Set(['CJSResolvesToESM', 'NoResolution'])
    expect(problems.filter((problem) => typeof problem === 'string' || !known.has(problem.kind))).toEqual([])
  })
})

const program = `
import { createHooks, defineBuiltin, defineDialect, defineExecutor, type Hooks, type Verdict } from 'hookline'
import { analyseCommand, redactText } from 'hookline/guards'
import { openAgent } from '@hookline/agent'
import { guardAcp } from '@hookline/acp'
import { guardMcp } from '@hookline/mcp'
import { createSandbox } from '@hookline/sandbox'
import * as z from 'zod'

export const banned = defineBuiltin({
  name: 'banned_word',
  doc: 'Blocks a word.',
  events: ['pre_tool_use'],
  args: z.object({ word: z.string() }),
  answer: (event, { word }) =>
    JSON.stringify(event.payload.tool_input).includes(word)
      ? { decision: { ruling: 'deny' as const, reason: \`It says \${word}.\` } }
      : undefined,
  examples: [],
})
export const constant = defineExecutor({
  type: 'constant',
  doc: 'Always asks.',
  spec: z.object({ reason: z.string() }),
  pins: () => [],
  run: ({ reason }) => ({ kind: 'opinion', opinion: { decision: { ruling: 'ask', reason } } }),
})
export { analyseCommand, redactText, openAgent, createSandbox, defineDialect, guardAcp, guardMcp }

const payload = { session_id: 's', tool_name: 'shell', tool_input: { command: 'say hello' } }
async function rulingOf(hooks: Hooks): Promise<string | undefined> {
  const verdict: Verdict = await hooks.raise('pre_tool_use', payload)
  await hooks.close()
  return verdict.decision?.ruling
}
const hook = (run: { type: string; [option: string]: unknown }) => ({ id: 'h', event: 'pre_tool_use' as const, run })
console.log(
  JSON.stringify({
    builtin: await rulingOf(await createHooks({ builtins: [banned], hooks: [hook({ type: 'builtin', name: 'banned_word', args: { word: 'hello' } })] })),
    executor: await rulingOf(await createHooks({ executors: [constant], hooks: [hook({ type: 'constant', reason: 'why' })] })),
    sandboxed: await rulingOf(await createHooks({ hooks: [hook({ type: 'sandbox', command: 'echo no >&2; exit 2' })] })),
  }),
)
`

const compiler = join(root, 'node_modules/typescript-7/bin/tsc')

/** With the strictest options, and the declarations of every package checked too. */
function tsc(cwd: string) {
  const options = {
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    types: ['node'],
  }
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['program.ts'] }))
  return spawnSync(process.execPath, [compiler, '-p', cwd], { cwd, encoding: 'utf8' })
}

function installed(...files: string[]): string {
  const cwd = folder()
  writeFileSync(join(cwd, 'package.json'), '{"name":"user","private":true,"type":"module"}')
  const npm = ['install', '--no-audit', '--no-fund', '--prefer-offline', ...files]
  const { status, stderr } = spawnSync('npm', npm, { cwd, encoding: 'utf8' })
  writeFileSync(join(cwd, 'npm.log'), stderr)
  expect(status, stderr).toBe(0)
  return cwd
}

/** As npm would lay them out, with exactly the dependencies they name; those come from this repository, which has them already. */
function unpacked(...names: (typeof packages)[number][]): string {
  const cwd = folder()
  writeFileSync(join(cwd, 'package.json'), '{"name":"user","private":true,"type":"module"}')
  const places = names.map((name) => {
    const place = join(cwd, 'node_modules', manifestOf(join(root, 'packages', name)).name)
    mkdirSync(place, { recursive: true })
    execFileSync('tar', ['-xzf', tarballs[name], '-C', place, '--strip-components=1'])
    return { name, place }
  })
  mkdirSync(join(cwd, 'node_modules/.bin'))
  symlinkSync('../hookline/bin/hookline.js', join(cwd, 'node_modules/.bin/hookline'))
  for (const { name, place } of places)
    for (const needed of Object.keys(manifestOf(place).dependencies ?? {}))
      bring(needed, cwd, join(root, 'packages', name))
  return cwd
}

/** A package that the user has anyway, as it lies in this repository. */
function bring(name: string, cwd: string, beside = root): void {
  const place = join(cwd, 'node_modules', name)
  mkdirSync(dirname(place), { recursive: true })
  const found = [beside, root].map((each) => join(each, 'node_modules', name)).find(existsSync)
  if (!found) throw new Error(`${name} is not installed in this repository.`)
  if (!existsSync(place)) symlinkSync(found, place)
}

const manifestOf = (directory: string) =>
  JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    name: string
    version: string
    dependencies?: Record<string, string>
  }

function cli(installation: string, args: readonly string[], payload?: object, cwd = installation) {
  const bin = join(installation, 'node_modules/.bin/hookline')
  const input = payload ? JSON.stringify(payload) : ''
  return spawnSync(bin, args, { cwd, encoding: 'utf8', input, env: environment() })
}

const environment = () => ({ ...process.env, ...nobody, NO_COLOR: '1' })

function bytesIn(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { type BuiltinKit, defineBuiltin, matchesStars } from '../core/index.ts'
import { traceOnce } from '../guards/shell/index.ts'
import { parseArguments, programName, readOptions } from '../shell/index.ts'
import { argument, ask, texts } from './parts.ts'
import { shellOf } from './tools.ts'

export const newPackages = defineBuiltin({
  name: 'new_packages',
  doc: 'Asks before a package is installed, or run straight from a registry, that neither the lockfile nor the manifest of the project names: installing runs its code. What is listed there, and `npm ci`, pass.',
  events: ['pre_tool_use', 'tool_guard', 'permission_request'],
  args: z.strictObject({
    allow: argument(texts, 'Packages that need no question, with `*`: `@acme/*`.', []),
  }),
  answer({ payload }, { allow }, kit) {
    const shell = shellOf(payload, kit)
    if (!shell || !mayInstall.test(shell.command)) return undefined
    const cwd = shell.cwd ?? kit.cwd
    const { seen } = traceOnce({ command: shell.command, cwd, home: kit.home })
    const wanted = seen.flatMap((each) =>
      each.kind === 'command' && !each.elsewhere ? installedBy(each.words.map(({ text }) => text)) : [],
    )
    const asked = wanted.filter(({ name }) => !allow.some((pattern) => matchesStars(pattern, name)))
    return asked.length === 0 ? undefined : unlisted(asked, cwd, kit)
  },
  does: ({ allow }) => (allow.length === 0 ? [] : ['quotes']),
  examples: [
    {
      title: 'a package that nobody has chosen',
      given: { files: { 'package.json': '{"dependencies":{"zod":"3"}}' } },
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'npm install zod left-padd' } },
      expect: {
        decision: ask(
          'It installs left-padd, which the lockfile of this project does not list. Its code runs on this machine: is that the package you mean?',
        ),
      },
    },
    {
      title: 'what the project lists',
      given: { files: { 'requirements.txt': 'requests==2.32\n' } },
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'pip install requests' } },
      expect: undefined,
    },
    {
      title: 'the project as it is locked',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'npm ci && pip install -r requirements.txt' } },
      expect: undefined,
    },
    {
      title: 'a program straight from the registry',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'npx create-thing my-app' } },
      expect: { decision: { ruling: 'ask' } as never },
    },
  ],
  canary: {
    title: 'a package that nobody has heard of',
    event: 'pre_tool_use',
    payload: { tool_name: 'shell', tool_input: { command: 'npm install hookline-canary-no-such-package' } },
    expect: { decision: { ruling: 'ask' } as never },
  },
})

const mayInstall = /\b(?:npm|pnpm|yarn|bun|npx|bunx|pip3?|pipx|uvx?|poetry|pdm|cargo|go|gem|bundle|composer|deno)\b/

interface Wanted {
  name: string
  ecosystem: keyof typeof lists
}

/** Files that say what a project uses; what stands in one of them as a word was chosen. */
const lists = {
  node: [
    'package.json',
    'package-lock.json',
    'npm-shrinkwrap.json',
    'pnpm-lock.yaml',
    'yarn.lock',
    'bun.lock',
    'deno.json',
    'deno.lock',
  ],
  python: [
    'pyproject.toml',
    'requirements.txt',
    'requirements-dev.txt',
    'dev-requirements.txt',
    'poetry.lock',
    'uv.lock',
    'pdm.lock',
    'Pipfile',
    'Pipfile.lock',
    'setup.py',
    'setup.cfg',
  ],
  rust: ['Cargo.toml', 'Cargo.lock'],
  go: ['go.mod', 'go.sum'],
  ruby: ['Gemfile', 'Gemfile.lock'],
  php: ['composer.json', 'composer.lock'],
} as const

/** The words in front of the packages, and the options that take a value. `alone`: nothing but the first name is a package. */
interface Installer {
  verbs: readonly string[]
  ecosystem: Wanted['ecosystem']
  options?: string
  alone?: true
}

const nodeOptions = '-w:C: --workspace= --prefix= --registry= --tag= --filter= --dir= --cwd= --omit= --include='
const pipOptions =
  '-r:e:c:i:f:t: --requirement= --editable= --constraint= --index-url= --extra-index-url= --find-links= --target= --prefix= --python= --group= --extra='
const installers: Readonly<Record<string, readonly Installer[]>> = {
  npm: [
    { verbs: ['install', 'i', 'in', 'add'], ecosystem: 'node', options: nodeOptions },
    {
      verbs: ['exec', 'x', 'init', 'create'],
      ecosystem: 'node',
      options: `${nodeOptions} -p: --package=`,
      alone: true,
    },
  ],
  pnpm: [
    { verbs: ['add', 'install', 'i'], ecosystem: 'node', options: nodeOptions },
    { verbs: ['dlx', 'create'], ecosystem: 'node', options: nodeOptions, alone: true },
  ],
  yarn: [
    { verbs: ['add'], ecosystem: 'node', options: nodeOptions },
    { verbs: ['dlx', 'create'], ecosystem: 'node', options: nodeOptions, alone: true },
  ],
  bun: [
    { verbs: ['add', 'install', 'i'], ecosystem: 'node', options: nodeOptions },
    { verbs: ['x', 'create'], ecosystem: 'node', options: nodeOptions, alone: true },
  ],
  npx: [{ verbs: [], ecosystem: 'node', options: '-p:c: --package= --call=', alone: true }],
  bunx: [{ verbs: [], ecosystem: 'node', options: '-p: --package=', alone: true }],
  pip: [{ verbs: ['install'], ecosystem: 'python', options: pipOptions }],
  pip3: [{ verbs: ['install'], ecosystem: 'python', options: pipOptions }],
  pipx: [{ verbs: ['install', 'run'], ecosystem: 'python', options: '--spec= --python=', alone: true }],
  uvx: [{ verbs: [], ecosystem: 'python', options: '-p: --from= --python= --with=', alone: true }],
  uv: [{ verbs: ['add'], ecosystem: 'python', options: pipOptions }],
  poetry: [{ verbs: ['add'], ecosystem: 'python', options: '-G:E: --group= --extras= --source=' }],
  pdm: [{ verbs: ['add'], ecosystem: 'python', options: '-G: --group=' }],
  cargo: [
    { verbs: ['add'], ecosystem: 'rust', options: '-F:p: --features= --package= --rename= --path= --git= --branch=' },
    {
      verbs: ['install'],
      ecosystem: 'rust',
      options: '-F:j: --features= --version= --path= --git= --root= --profile=',
    },
  ],
  go: [{ verbs: ['get', 'install'], ecosystem: 'go', options: '-word -modfile=' }],
  gem: [{ verbs: ['install', 'i'], ecosystem: 'ruby', options: '-v:i:n:s: --version= --source=' }],
  bundle: [{ verbs: ['add'], ecosystem: 'ruby', options: '-v:g: --version= --group= --source=' }],
  composer: [{ verbs: ['require', 'req'], ecosystem: 'php', options: '-d: --working-dir=' }],
}

function installedBy([program = '', ...args]: readonly string[]): Wanted[] {
  const name = programName(program)
  // `python -m pip install x`
  const python = /^python[\d.]*$/.test(name) && args[0] === '-m' && args[1] === 'pip'
  const known = python ? installers['pip'] : Object.hasOwn(installers, name) ? installers[name] : undefined
  const words = python ? args.slice(2) : name === 'uv' && args[0] === 'pip' ? args.slice(1) : args
  const table = name === 'uv' && args[0] === 'pip' ? installers['pip'] : known
  return (table ?? []).flatMap(({ verbs, ecosystem, options = '', alone }) => {
    const parsed = parseArguments(
      words.map((text) => ({ text })),
      readOptions(options),
      alone,
    )
    const operands = parsed.operands.map(({ text }) => text)
    if (verbs.length > 0 && !verbs.includes(operands[0] ?? '')) return []
    const rest = operands.slice(verbs.length > 0 ? 1 : 0)
    const packages = alone ? (named(parsed.flags) ?? rest.filter((word) => !word.startsWith('-')).slice(0, 1)) : rest
    return packages.flatMap((each) => packageIn(each, ecosystem) ?? []).map((found) => ({ name: found, ecosystem }))
  })
}

const named = (flags: readonly { name: string; value?: { text: string } | undefined }[]): string[] | undefined => {
  const found = flags
    .filter(({ name }) => /^(?:p|--package|--from|--spec)$/.test(name))
    .flatMap(({ value }) => value?.text ?? [])
  return found.length > 0 ? found : undefined
}

/** Its name without a version; undefined for a directory, or for nothing that can be read. */
function packageIn(word: string, ecosystem: Wanted['ecosystem']): string | undefined {
  if (/^(?:\.{0,2}\/|~|file:|link:|workspace:|-)/.test(word) || word === '.' || word === '') return undefined
  const plain = word.replace(/^npm:/, '')
  if (ecosystem === 'python') return plain.split(/[=<>!~;[@ ]/)[0]
  if (ecosystem === 'go') return plain.split('@')[0]
  if (ecosystem === 'php') return plain.split(':')[0]
  return plain.startsWith('@') ? `@${plain.slice(1).split('@')[0]}` : plain.split('@')[0]
}

async function unlisted(wanted: readonly Wanted[], cwd: string, kit: BuiltinKit) {
  const missing: string[] = []
  for (const { name, ecosystem } of wanted) if (!(await isListed(name, ecosystem, cwd, kit))) missing.push(name)
  const [first] = missing
  if (first === undefined) return undefined
  const shown = [...new Set(missing)]
    .slice(0, 5)
    .map((name) => name.slice(0, 80))
    .join(', ')
  const what = new Set(missing).size === 1 ? 'that the package' : 'those the packages'
  return {
    decision: ask(
      `It installs ${shown}, which the lockfile of this project does not list. Its code runs on this machine: is ${what} you mean?`,
    ),
  }
}

const largestList = 16 * 1024 * 1024
const highest = 4

/** Here or in a directory above: a workspace keeps one lockfile for all. */
async function isListed(name: string, ecosystem: Wanted['ecosystem'], cwd: string, kit: BuiltinKit): Promise<boolean> {
  const escaped = name
    .toLowerCase()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/[-_]/g, '[-_]')
  const pattern = new RegExp(`(?:^|[\\s"'/=(@])${escaped}(?=$|["'\\s@=<>!~;:,)[/])`, 'm')
  for (let [at, left] = [cwd, highest]; left > 0; [at, left] = [dirname(at), left - 1]) {
    for (const file of lists[ecosystem]) {
      const size = await kit.size(join(at, file))
      if (size === undefined || size > largestList) continue
      const text = await kit.read(join(at, file), size + 1)
      if (text !== undefined && pattern.test(text.toLowerCase())) return true
    }
    if (at === dirname(at)) break
  }
  return false
}

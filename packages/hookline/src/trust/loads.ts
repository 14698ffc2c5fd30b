import { statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { namesIn } from '../platform/index.ts'
import { isCodeFile } from '../shell/index.ts'
import { type PackageLoads, packageLoads } from './packages.ts'

/** Where the names in a script lead from: its own directory, and that of the script that was started. */
export interface LoadingFrom {
  file: string
  /** Python looks for modules beside the program, whichever file imports them. */
  program: string
  /** Where the hook works: what a script there names is the project's more often than its own. */
  workspace: string
  /** The directory of the project, wherever in it the hook works. */
  root: string
}

/** More names than this are not followed, so they are not there for what runs. Text by text, patterns take linear time. */
const mostNames = 2_000
const deepest = 20

/** What a script loads from beside it. */
export interface Loads {
  /** The files that are there now, each the first of those that its language would take. */
  files: string[]
  /** Where nothing is now, and what would be found first if something were. */
  absent: string[]
  /** What it loads, and an approval does not cover. */
  unpinned: string[]
  /** It loads more, by names that are known only when it runs. */
  unknown: boolean
}

interface Language {
  extensions: RegExp
  interpreters: RegExp
  find(text: string, from: LoadingFrom): (string | undefined)[]
  unknown: RegExp
  /** How names without a path are found. Absent: only where the language is installed. */
  packages?(text: string, file: string, root: string): PackageLoads
}

/** One row per language: how it names what it loads, and where it looks. */
const languages: readonly Language[] = [
  {
    extensions: /^\.py[wc]?$/,
    interpreters: /^(?:python|pypy)/,
    find: (text, from) => few(pythonImports(text)).flatMap((module) => pythonFiles(module, from)),
    unknown: /\b(?:importlib|__import__|runpy|execfile|sys\.path|exec\s*\(|site\.addsitedir)\b/,
  },
  {
    extensions: /^\.[cm]?[jt]sx?$/,
    interpreters: /^(?:node|nodejs|bun|deno|tsx|ts-node)/,
    find: (text, { file }) =>
      few(text.matchAll(specifier)).map(([, , name]) => scriptFile(resolve(dirname(file), name!))),
    packages: packageLoads,
    unknown: /\b(?:require|import)\s*\(\s*(?!\s|['"`][^'"`$]*['"`])/,
  },
  {
    extensions: /^\.rb$/,
    interpreters: /^ruby/,
    find: (text, { file }) =>
      few(text.matchAll(/\b(?:require_relative|require|load)\b\s{0,20}\(?\s{0,20}(["'])([\w@.+/-]+)\1/g)).map(
        ([, , name]) => firstOf(resolve(dirname(file), name!), ['', '.rb']),
      ),
    unknown: /\b(?:require_relative|load)\b\s{0,20}\(?\s{0,20}(?!\s|["'][^"'#]*["'])/,
  },
  {
    extensions: /^\.p[lm]$/,
    interpreters: /^perl/,
    find: (text, { file }) => [
      ...few(text.matchAll(/\b(?:require|do)\b\s{0,20}\(?\s{0,20}(["'])([\w@.+/-]+)\1/g)).map(([, , name]) =>
        existing(resolve(dirname(file), name!)),
      ),
      ...few(text.matchAll(/^[ \t]{0,40}(?:use|require)[ \t]{1,20}([A-Z]\w*(?:::\w+)*)/gm)).map(([, name]) =>
        existing(resolve(dirname(file), `${name!.replaceAll('::', '/')}.pm`)),
      ),
    ],
    unknown: /\buse\s+lib\b|\b(?:require|do)\s+\$/,
  },
  {
    extensions: /^\.(?:php|lua)$/,
    interpreters: /^(?:php|lua)/,
    find: (text, { file }) =>
      few(text.matchAll(/\b(?:include|require|dofile|loadfile)\w{0,9}\b[^\n;]{0,200}?(["'])([\w@.+/-]+)\1/g)).map(
        ([, , name]) => firstOf(resolve(dirname(file), name!.replace(/^\/+/, '')), ['', '.lua']),
      ),
    unknown: /\b(?:include|require)(?:_once)?\b\s{0,20}\(?\s{0,20}\$/,
  },
]

/** Of a shell script: what it runs from beside itself. What it sources is found where the shell is read. */
const shell: Pick<Language, 'find' | 'unknown' | 'packages'> = {
  find: (text, { file, workspace }) => {
    const own = [
      ...text.matchAll(
        /(?:\$\([^)\n]{0,200}\)|\$\{\w+\}|\$\w+|(?<![\w.])\.)["']?\/((?:[\w@+-][\w@.+-]*\/)*[\w@.+-]+)/g,
      ),
    ]
    const ran = [
      ...text.matchAll(
        /\b(?:python[\d.]*|node|bun|deno run|ruby|perl|php|lua|(?:ba|da|z|k)?sh)[ \t]+(?:-\S+[ \t]+)*([\w@.+/-]+)/g,
      ),
    ]
    const named = dirname(file) === workspace ? [] : [...text.matchAll(/(?<![\w@.+/-])([\w@+-][\w@.+-]*\.\w+)\b/g)]
    return few([...own, ...ran, ...named])
      .map(([, name]) => existing(resolve(dirname(file), name!)))
      .filter((path) => path && isProgram(path))
  },
  unknown: /(?!)/,
}

export function loadsOf(text: string, from: LoadingFrom, interpreter: string | undefined, isShell: boolean): Loads {
  const [extension, program] = [extname(from.file), basename(interpreter ?? '')]
  const fitting = isShell
    ? [shell]
    : languages.filter((each) => (program ? each.interpreters.test(program) : each.extensions.test(extension)))
  // Called without an ending and without a first line that says so, it can be in any of them.
  const read = fitting.length > 0 || extension !== '' || program !== '' ? fitting : languages
  const packages = fitting.flatMap((language) => language.packages?.(text, from.file, from.root) ?? [])
  const found = [
    ...read.flatMap((language) => language.find(text, from)),
    ...packages.flatMap(({ files }) => files),
  ].filter((path) => path !== undefined)
  return {
    files: [...new Set(found)].filter((path) => path !== from.file),
    absent: packages.flatMap(({ absent }) => absent),
    unpinned: [...packages.flatMap(({ unpinned }) => unpinned), ...dataBeside(text, from.file)],
    unknown: fitting.some((language) => language.unknown.test(text)) || packages.some(({ unknown }) => unknown),
  }
}

const settings = /["'`/\s]([\w@+-][\w@.+-]{0,80}\.(?:jsonc?|ya?ml|toml|ini|cfg|conf|env))(?=["'`\s;)]|$)/gm

/** Files beside it that say what it does, and that it names: data may change, and whoever approves should know. */
const dataBeside = (text: string, file: string): string[] =>
  [...new Set(few(text.matchAll(settings)).map(([, name]) => join(dirname(file), name!)))]
    .filter((path) => basename(path) !== 'package.json' && existing(path))
    .map((path) => `${path} is read by ${basename(file)} and may change; under \`files:\` it is approved too`)

/** Whether what stands there can be loaded by its name alone, by whoever looks for another of that name. */
export function isLoadable(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) return isCodeFile(path) || /\.pyd$/.test(path)
  return namesIn(path).some((name) => /^__init__\./.test(name))
}

/** Everything that a Python program could take for a module, because it lies beside it. */
export function modulesBeside(path: string): string[] {
  if (extname(path) !== '.py') return []
  const directory = dirname(path)
  return namesIn(directory)
    .filter((name) => name !== basename(path) && name !== '__pycache__')
    .map((name) => pythonModule(directory, name.replace(/\..*$/, '')))
    .filter((file, at, all) => file !== undefined && all.indexOf(file) === at) as string[]
}

const specifier = /\b(?:from|import|require)\b\s{0,20}\(?\s{0,20}(["'`])(\.{1,2}(?:\/[^"'`\n$]*)?)\1/g
const scriptEndings = ['', '.js', '.json', '.node', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.jsx']

/** A file of that name, with an ending, or the index of a directory; `./x.js` may be written as `x.ts`. */
function scriptFile(path: string): string | undefined {
  return (
    firstOf(path, scriptEndings) ??
    firstOf(path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2'), ['']) ??
    firstOf(join(path, 'index'), scriptEndings.slice(1))
  )
}

/** `..a.b` is two directories up; the names behind `import` may be modules of the package. */
function pythonImports(text: string): string[] {
  const joined = text.replace(/\\\r?\n/g, ' ')
  const plain = [...joined.matchAll(/(?:^|[;:])[ \t]*import[ \t]+([^\n;#]+)/gm)].flatMap(([, names]) => namesOf(names!))
  const from = [...joined.matchAll(/(?:^|[;:])[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]{0,2000}\)|[^\n;#]+)/gm)]
  return [
    ...plain,
    ...from.flatMap(([, module, names]) => [
      module!,
      ...namesOf(names!).map((name) => (/\.$/.test(module!) ? `${module}${name}` : `${module}.${name}`)),
    ]),
  ]
}

function few<T>(found: Iterable<T>): T[] {
  const taken: T[] = []
  for (const each of found) if (taken.push(each) >= mostNames) break
  return taken
}

const namesOf = (list: string): string[] => [...list.matchAll(/([.\w]+)(?:\s+as\s+\w+)?/g)].map(([, name]) => name!)

/** The files of a module and of the packages that it is in; the program of one, if it is a package. */
export function pythonFiles(module: string, { file, program }: Pick<LoadingFrom, 'file' | 'program'>): string[] {
  const [, dots, rest] = /^(\.*)(.*)$/.exec(module)!
  let at =
    dots === '' ? dirname(program) : resolve(dirname(file), ...Array(Math.min(dots!.length, deepest) - 1).fill('..'))
  const found: (string | undefined)[] = []
  for (const name of rest!.split('.', deepest).filter((part) => part !== '')) {
    found.push(pythonModule(at, name))
    at = join(at, name)
  }
  return [...found, existing(join(at, '__main__.py'))].filter((path) => path !== undefined)
}

/** In the order in which Python takes them. */
function pythonModule(directory: string, name: string): string | undefined {
  const extension = namesIn(directory).find((each) => each.startsWith(`${name}.`) && /\.(?:so|pyd)$/.test(each))
  return (
    firstOf(join(directory, name, '__init__'), ['.py', '.pyc', '.so']) ??
    (extension === undefined ? undefined : join(directory, extension)) ??
    firstOf(join(directory, name), ['.py', '.pyw', '.pyc'])
  )
}

const firstOf = (path: string, endings: readonly string[]): string | undefined =>
  endings.map((ending) => path + ending).find((each) => existing(each) !== undefined)

const existing = (path: string): string | undefined => (statOf(path)?.isFile() ? path : undefined)

const isProgram = (path: string): boolean =>
  isCodeFile(path) || (extname(path) === '' && ((statOf(path)?.mode ?? 0) & 0o111) !== 0)

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

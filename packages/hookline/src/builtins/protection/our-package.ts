/** Our package, as package managers know it: no agent replaces what watches over it, takes it away, or runs another version of it. */
import type { BuiltinKit, CallEffects } from '../../core/index.ts'
import { programName } from '../../shell/index.ts'
import { absolute } from '../judge.ts'

export interface PackageFindings {
  reason?: string
  /** A version in a project: it may be the newest, and harms nothing that agents run. */
  doubt?: string
}

export async function packageFindings({ runs }: CallEffects, kit: BuiltinKit, cwd: string): Promise<PackageFindings> {
  const found: PackageFindings = {}
  for (const words of runs) {
    const [program = '', ...rest] = [programName(words[0] ?? ''), ...words.slice(1)]
    if (!managers.test(program) && !runners.test(program)) continue
    const plain = rest.filter((word) => !word.startsWith('-'))
    if (runners.test(program) || (plain[0] !== undefined && running.test(plain[0]))) {
      if (runOf(runners.test(program) ? rest : rest.slice(rest.indexOf(plain[0]!) + 1)))
        found.reason ??= 'It runs another version of the program that watches over the agent.'
      continue
    }
    const specs = plain.map(specOf).filter((spec) => spec !== undefined)
    if (specs.length === 0 && !(isGlobal(program, rest) && (await namesOurDirectory(plain, kit, cwd)))) continue
    if (plain.some((word) => removing.test(word)) || (plain.some((word) => putting.test(word)) && isForeign(specs)))
      found.reason ??= 'It takes away or replaces the program that watches over the agent.'
    else if (!plain.some((word) => putting.test(word))) continue
    else if (isGlobal(program, rest))
      found.reason ??= 'It installs another version of the program that watches over the agent.'
    else if (specs.some(({ version }) => !isNewest(version)))
      found.doubt ??= 'It installs a version of the program that watches over the agent, which may be an old one.'
  }
  return found
}

/** What installs packages for a project, for a user, or for the machine. */
const managers =
  /^(?:c?npm|tnpm|pnpm|yarn|yarnpkg|bun|deno|volta|corepack|brew|port|mise|rtx|asdf|proto|nix|nix-env|devbox|ni|nun|nup)$/
/** What fetches a package and runs it. */
const runners = /^(?:npx|pnpx|bunx|nlx|dlx)$/
const running = /^(?:exec|dlx|x)$/
const removing = /^(?:uninstall|remove|rm|un|unlink|r|delete)$/
const putting =
  /^(?:install|i|in|ins|inst|isntall|add|a|update|up|upd|upgrade|udpate|link|ln|use|global|profile|set|enable|prepare|pin)$/
/** These have no packages of a project. */
const machineWide = /^(?:volta|corepack|brew|port|proto|asdf|nix|nix-env|devbox)$/

function isGlobal(program: string, words: readonly string[]): boolean {
  if (machineWide.test(program) || words.includes('global')) return true
  return words.some(
    (word) =>
      /^(?:-g|--global|--location=global|--prefix(?:=.*)?|--dir(?:=.*)?)$/.test(word) ||
      /^-[a-zA-Z]*g[a-zA-Z]*$/.test(word),
  )
}

interface Spec {
  /** Undefined: whatever is newest. */
  version?: string | undefined
  /** A directory, an archive or a repository that is called like us. */
  elsewhere?: true
}

/** Undefined: it is another package. */
function specOf(word: string): Spec | undefined {
  const [, version] = /^(?:npm:)?(?:hookline|@hookline\/[\w-]+)(?:@(.*))?$/.exec(word) ?? [undefined, null]
  if (version !== null) return { version }
  if (!/[/:.]/.test(word)) return undefined
  return /(?:^|[/:])hookline(?:-v?\d[^/]*)?(?:\.git|\.tgz|\.tar\.gz)?(?:#.*)?\/?$/.test(word)
    ? { elsewhere: true }
    : undefined
}

/** Another package under our name; a version of ours is ours. */
const isForeign = (specs: readonly Spec[]): boolean =>
  specs.some(
    ({ version, elsewhere }) => elsewhere || !(isNewest(version) || /^(?:[\w-]+|[~^<>=]*\d[\w.+-]*)$/.test(version!)),
  )

const isNewest = (version: string | undefined): boolean =>
  version === undefined || version === 'latest' || version === ''

/** Whether a version is named of what is to be run: `npx -p hookline@0.1.0 hookline …`. */
function runOf(words: readonly string[]): boolean {
  const at = words.findIndex(
    (word, index) => !word.startsWith('-') && !/^(?:-p|--package|-c|--call)$/.test(words[index - 1] ?? ''),
  )
  const fetched = words.filter((_, index) => index <= at || /^(?:-p|--package)$/.test(words[index - 1] ?? ''))
  return fetched
    .map((word) => specOf(word.replace(/^--package=/, '')))
    .some((spec) => spec !== undefined && (spec.elsewhere === true || !isNewest(spec.version)))
}

/** `npm install -g .` beside a package of our name. */
async function namesOurDirectory(words: readonly string[], kit: BuiltinKit, cwd: string): Promise<boolean> {
  for (const word of words.filter((each) => /^(?:file:|[.~/])/.test(each)).slice(0, 5)) {
    const directory = await kit.realpath(absolute(word.replace(/^file:/, ''), { cwd, home: kit.home }))
    const text = await kit.read(`${directory}/package.json`, 256 * 1024)
    if (text !== undefined && /"name"\s*:\s*"(?:hookline|@hookline\/[^"]+)"|"hookline"\s*:/.test(text)) return true
  }
  return false
}

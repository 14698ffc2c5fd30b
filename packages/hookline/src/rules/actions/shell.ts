/** What a command line does: the trace of the walk, each command asked what it touches. */
import {
  type Field,
  isKnown,
  lead,
  type Machine,
  readable,
  render,
  type Seen,
  type SeenCommand,
  type SeenFile,
  type SeenHost,
  traceOnce,
} from '../../guards/shell/index.ts'
import { programName, quoteWord } from '../../shell/index.ts'
import type { Action, FetchAction, Look, PathAction, RunAction, Slot } from '../types.ts'
import { mountedPlaces } from './containers.ts'
import { byName, type Doing, type Effect } from './effect.ts'
import { files } from './files.ts'
import type { Found } from './found.ts'
import { type GitDoing, gitDoes, type Heads } from './git.ts'
import { elsewhere, handedTo } from './handed.ts'
import { targetOf } from './hosts.ts'
import { network } from './network.ts'
import { normalise, type Place, placesOf } from './paths.ts'
import { search } from './search.ts'
import { showSlot, slotOf } from './slots.ts'

/** A hostile line must stay cheap for those who match rules. */
const mostActions = 4_000
/** Of one command. */
const mostEffects = 1_000
const TOO_MANY = 'It does more than can be listed.'
/** Some shells stop there, some leave it out: `git push\0 --force`. */
const NUL = 'It holds a NUL character, and shells do not agree what that means.'
const deepestAlias = 8

export interface Line {
  command: string
  cwd: string | undefined
  look: Look
  /** The files and the network of the line are not those of this machine. */
  contained?: boolean
}

export function readLine(line: Line, found: Found): void {
  if (line.command.includes('\0')) found.doubts.add(NUL)
  walkLine(line, found, {
    heads: new Map(),
    places: new Map(),
    made: { alias: false, routes: false },
    inside: [],
    depth: 0,
  })
}

interface Context {
  heads: Heads
  /** Where in the list the commands of the trace stand. */
  places: Map<SeenCommand, number>
  /** What the line itself makes. */
  made: { alias: boolean; routes: boolean }
  inside: readonly string[]
  depth: number
}

function walkLine(line: Line, found: Found, context: Context): void {
  const { command, cwd, look } = line
  const input = { command, ...(cwd === undefined ? {} : { cwd }), home: look.home ?? '~' }
  const trace = traceOnce(input, line.contained ? undefined : machineOf(look))
  for (const doubt of trace.doubts) found.doubts.add(doubt)
  for (const name of trace.set) found.sets.add(name)
  for (const seen of trace.seen) {
    if (found.actions.length >= mostActions) {
      found.doubts.add(TOO_MANY)
      return
    }
    readSeen(seen, line, found, context)
  }
}

/** What the walk may ask of the machine. */
function machineOf(look: Look): Machine | undefined {
  if (!look.read && !look.isDirectory && !look.list) return undefined
  return {
    isDirectory: (path) => look.isDirectory?.(path) ?? (look.list?.(path) !== undefined ? true : undefined),
    read: (path) => look.read?.(path),
  }
}

function readSeen(seen: Seen, line: Line, found: Found, context: Context): void {
  const inside = context.inside.length > 0 ? [...context.inside, ...seen.inside] : seen.inside
  const away = line.contained === true || (seen.elsewhere && !seen.mounts)
  const into = seen.script ? withoutUnknowns(found) : found
  if (seen.kind === 'command') readCommand(seen, inside, away, line, into, context)
  else if (seen.kind === 'host') {
    if (!line.contained) into.add({ ...hostAction(seen, inside), ...doer(seen, context) })
  } else if (!away)
    for (const action of fileActions(seen, inside, line.look)) into.add({ ...action, ...doer(seen, context) })
}

/**
 * What a script on disk does with a name that nobody knows is its own business, as with every program; what is known of it
 * counts.
 */
const withoutUnknowns = (found: Found): Found => ({
  ...found,
  add: (action) => (isAllUnknown(action) ? -1 : found.add(action)),
})

function isAllUnknown(action: Action): boolean {
  if (action.kind === 'run') return isBlank(action.words[0])
  if (action.kind === 'fetch') return isBlank(action.host)
  return action.kind === 'read' || action.kind === 'write' || action.kind === 'delete'
    ? action.paths.every((path) => isBlank(path))
    : false
}

const isBlank = (slot: Slot | undefined): boolean =>
  slot !== undefined && slot.parts.length > 1 && slot.parts.every((part) => /^[./]*$/.test(part))

/** Who allows the command that runs a script on disk has allowed what stands in it. */
function doer({ by, script }: Pick<SeenFile, 'by' | 'script'>, { places }: Context): { by?: number } {
  const doing = by ?? script
  const place = doing && places.get(doing)
  return place === undefined ? {} : { by: place }
}

const onFiles = byName(files, search)
const onNetwork = byName(network)

/** What the tables know of a program, and what its words tell where they do not. */
function effectsOf(doing: Doing, assigned: readonly string[], wraps: boolean): readonly Effect[] {
  const [own, talks] = [onFiles(doing.name), onNetwork(doing.name)]
  const known = [...own, ...talks].flatMap((program) => program(doing))
  const handed = wraps ? [] : handedTo(doing, { files: own.length > 0, network: talks.length > 0 }, known)
  const effects = handed.length > 0 ? [...known, ...handed] : known
  return assigned.length > 0 ? [...effects, ...elsewhere(assigned, effects)] : effects
}

function readCommand(
  seen: SeenCommand,
  inside: readonly string[],
  away: boolean,
  line: Line,
  found: Found,
  context: Context,
): void {
  const [first, ...args] = seen.words as [Field, ...Field[]]
  const name = programName(first.text)
  const assigned = [...seen.assigned, ...found.sets]
  const lost = name === 'git' && assigned.some((each) => /^GIT_(?:DIR|WORK_TREE|COMMON_DIR)$/.test(each))
  const doing: Doing = { name, args, cwd: lost ? undefined : seen.cwd, look: line.look, assigned }
  const git: GitDoing | undefined =
    name === 'git' ? gitDoes({ ...doing, rerouted: context.made.routes }, context.heads) : undefined
  if (git?.reroutes) context.made.routes = true
  const effects = git ? [...git.effects, ...elsewhere(assigned, git.effects)] : effectsOf(doing, assigned, seen.wraps)
  if (git) doubtAliases(git, assigned, args, found, context)
  const run = { ...runAction(seen, name, inside, git), ...doer({ by: undefined, script: seen.script }, context) }
  const added = found.add(run)
  const by = added < 0 && seen.script ? (context.places.get(seen.script) ?? 0) : added
  if (effects.length > mostEffects) found.doubts.add(TOO_MANY)
  for (const effect of effects.slice(0, mostEffects)) {
    if (effect.does === 'fetch' ? line.contained : away) continue
    for (const action of effectActions(effect, seen, inside, line.look, by)) found.add(action)
  }
  context.places.set(seen, by)
  const module = name === 'python' ? args.findIndex(({ text }) => text === '-m') : -1
  if (module >= 0 && module + 1 < args.length) {
    const inner = { ...seen, words: args.slice(module + 1), wraps: false }
    readCommand(inner, [...inside, `${name} -m`], away, line, found, context)
  }
  if (git?.alias) readAlias(git.alias, run, line, found, { ...context, inside })
}

/** Settings of git that the line itself makes: what a verb means then is not what it means now. */
function doubtAliases(
  git: GitDoing,
  assigned: readonly string[],
  args: readonly Field[],
  found: Found,
  { made }: Context,
): void {
  if (args.some(({ text }) => text === 'config') && args.some(({ text }) => /^alias\./i.test(text))) made.alias = true
  else if (git.foreign && (made.alias || assigned.some((each) => /^GIT_CONFIG/.test(each))))
    found.doubts.add('It makes an alias of git, and runs it.')
}

function runAction(seen: SeenCommand, name: string, inside: readonly string[], git: GitDoing | undefined): RunAction {
  const [program, ...args] = seen.words as [Field, ...Field[]]
  const words = [withoutDirectory(program), ...args.map((each) => ({ ...each, text: each.listed ?? each.text }))]
  const extras: RunAction['extras'][number][] = []
  if (seen.assigned.length > 0) extras.push('assignment')
  if (seen.redirected) extras.push('redirection')
  if (seen.background) extras.push('background')
  if (hasGlobalOption(name, args)) extras.push('global-option')
  return {
    kind: 'run',
    words: words.map(({ text, glob }) => slotOf(text, glob)),
    ...(/[/\\]/.test(program.text) ? { program: program.text } : {}),
    inside,
    shown: readable(render(words)),
    extras,
    ...(seen.wraps || git?.alias ? { wraps: true } : {}),
    ...(git?.branches ? { branches: git.branches } : {}),
  }
}

/** Without the directory it lies in; a version in it (`python3`) stays, because that is how people write it. */
function withoutDirectory(program: Field): Field {
  if (!isKnown(program.text)) return program
  const name = program.text.slice(program.text.lastIndexOf('/') + 1).toLowerCase()
  return { ...program, text: name.replace(/(?<=\w)@[\w.^~*-]*$|\.exe$/, '') }
}

/** Programs whose first operand says what they do: an option in front of it changes where or how. */
const withVerbs = new Set(
  (
    'git docker podman nerdctl kubectl oc helm npm pnpm yarn bun deno cargo go gh glab aws gcloud az terraform tofu pulumi ' +
    'pip pipx uv poetry conda brew apt apt-get dnf yum systemctl service npx make vagrant fly heroku vercel netlify wrangler firebase'
  ).split(' '),
)

const hasGlobalOption = (name: string, args: readonly Field[]): boolean =>
  withVerbs.has(name) &&
  args.length > 1 &&
  /^-/.test(args[0]?.text ?? '') &&
  args.some(({ text }) => !text.startsWith('-'))

function effectActions(
  effect: Effect,
  seen: SeenCommand,
  inside: readonly string[],
  look: Look,
  by: number,
): (PathAction | FetchAction)[] {
  if (effect.does === 'fetch')
    return [
      {
        kind: 'fetch',
        host: effect.to.host,
        ...(effect.to.url ? { url: effect.to.url } : {}),
        ...(effect.sends ? { sends: true } : {}),
        ...{ inside, by, shown: showSlot(effect.to.host) },
      },
    ]
  const places =
    'cwd' in effect
      ? placesOf(effect.word, effect.cwd, led(look, seen, effect.word, effect.cwd, effect.does))
      : placesIn(effect.word, seen, look, effect.does, effect.recursive)
  return places.map((place) => ({
    kind: effect.does,
    ...place,
    ...(effect.recursive ? { recursive: true } : {}),
    ...(effect.search ? { search: effect.search } : {}),
    ...(effect.loses ? { loses: effect.loses } : {}),
    ...{ inside, by },
  }))
}

const fileActions = (seen: SeenFile, inside: readonly string[], look: Look): PathAction[] =>
  placesIn(seen.word, seen, look, seen.access, seen.recursive).map((place) => ({
    kind: seen.access,
    ...place,
    ...(seen.recursive ? { recursive: true } : {}),
    ...(seen.loses ? { loses: seen.loses } : {}),
    inside,
  }))

/** In every directory that it may happen in; in a container, where that leads on this machine. */
function placesIn(word: Field, seen: Seen, look: Look, does: PathAction['kind'], recursive = false): Place[] {
  const { cwd, also = [], mounts } = seen
  if (mounts) return mountedPlaces(word, cwd, mounts, look, recursive)
  const places = [cwd, ...also].flatMap((each) => placesOf(word, each, led(look, seen, word, each, does)))
  return also.length === 0 ? places : distinct(places)
}

/** A look at a machine on which the links are there that the line has made by then. Who deletes a link leaves what it leads to. */
function led(look: Look, { ways }: Seen, word: Field, cwd: string | undefined, does: PathAction['kind']): Look {
  if (!ways) return look
  const own = does === 'delete' && !/\/\.?$/.test(word.text) ? plainly(word.text, cwd) : undefined
  const follow = (path: string) => lead(path, ways, path !== own)
  return {
    ...look,
    realpath: (path) => {
      const led = follow(path)
      return led === path ? look.realpath?.(path) : (look.realpath?.(led) ?? led)
    },
    ...(look.list && { list: (path) => look.list?.(follow(path)) }),
  }
}

const plainly = (text: string, cwd: string | undefined): string =>
  normalise(text.startsWith('/') || cwd === undefined ? text : `${cwd}/${text}`)

const distinct = (places: readonly Place[]): Place[] => {
  const seen = new Map(places.map((place) => [JSON.stringify(place.paths), place]))
  return [...seen.values()]
}

function hostAction({ url, sends }: SeenHost, inside: readonly string[]): FetchAction {
  const target = targetOf(url)
  return { kind: 'fetch', ...target, ...(sends ? { sends: true } : {}), inside, shown: showSlot(target.host) }
}

/** An alias of git: a verb with words, or a line for the shell. */
function readAlias(
  alias: NonNullable<GitDoing['alias']>,
  by: RunAction,
  line: Line,
  found: Found,
  context: Context,
): void {
  if (context.depth >= deepestAlias || by.inside.includes(`git ${alias.name}`)) {
    found.doubts.add('Its git aliases lead to one another.')
    return
  }
  const rest = alias.rest.map(({ text: each }) => quoteWord(each)).join(' ')
  const text = alias.text.startsWith('!') ? alias.text.slice(1) : `git ${alias.text}`
  const inside = [...by.inside, `git ${alias.name}`]
  walkLine({ ...line, command: `${text} ${rest}`.trim(), cwd: alias.cwd }, found, {
    ...context,
    inside,
    depth: context.depth + 1,
  })
}

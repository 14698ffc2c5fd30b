/** What git does: files it touches, remotes it talks to, branches it changes. */
import { type Field, GIT_OPTIONS, isKnown } from '../../guards/shell/index.ts'
import { type Arguments, lookup, parseArguments, readOptions } from '../../shell/index.ts'
import { known, type Slot, unknownSlot } from '../types.ts'
import { type Doing, type Effect, hasFlag, parse, touch, values, word } from './effect.ts'
import { remoteOf, type Target } from './hosts.ts'
import { fetch } from './network.ts'
import { normalise } from './paths.ts'
import { slotOf } from './slots.ts'

export interface GitDoing {
  effects: readonly Effect[]
  branches?: readonly Slot[]
  /** The verb is none that we know: an alias, where one was made a moment ago. */
  foreign?: true
  /** It changes where remotes lead, or what is pushed there, for the commands behind it. */
  reroutes?: true
  /** The verb is an alias: what stands for it, and the words behind it. */
  alias?: { name: string; text: string; rest: readonly Field[]; cwd: string | undefined }
}

/** Branches that HEAD was moved to earlier in the same line, by directory. */
export type Heads = Map<string, readonly Slot[]>

/** Settings that decide where git talks to, and what a push without refspec means. */
const routes =
  /^(?:url\.|remote\.|http\.(?:.*\.)?proxy|branch\..*(?:remote|merge)|push\.|core\.(?:sshcommand|gitproxy)|include)/i

interface Call extends Doing {
  verb: string
  repository: Repository
  heads: Heads
}

type Repository = NonNullable<ReturnType<NonNullable<Doing['look']['git']>>> | undefined

/** `args` are the words behind `git`. */
export function gitDoes(doing: Doing & { rerouted?: boolean }, heads: Heads): GitDoing {
  const before = parseArguments(doing.args, readOptions(GIT_OPTIONS), true)
  const [verb, ...rest] = before.operands
  if (!verb) return { effects: [] }
  const cwd = directoryOf(before, doing.cwd)
  const repository = cwd === undefined ? undefined : doing.look.git?.(cwd)
  const name = verb.text.toLowerCase()
  const alias = Object.hasOwn(VERBS, name) ? undefined : repository?.aliases?.[name]
  if (alias !== undefined) return { effects: [], alias: { name, text: alias, rest, cwd } }
  const call: Call = { ...doing, cwd, args: rest, verb: name, repository, heads }
  const row = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  const { effects = [], branches } = row?.(call) ?? {}
  const from = effects.map((effect) => (effect.does === 'fetch' ? effect : { ...effect, cwd }))
  const set = before.flags.some(({ name, value }) => /^(?:c|--config-env)$/.test(name) && value && isRoute(value))
  return {
    ...(set || doing.rerouted ? rerouted(from, branches) : { effects: from, ...(branches ? { branches } : {}) }),
    ...(row ? {} : { foreign: true }),
    ...(changesRoutes(name, rest) ? { reroutes: true } : {}),
  }
}

const isRoute = ({ text }: Field): boolean => !isKnown(text) || routes.test(text)

const changesRoutes = (verb: string, args: readonly Field[]): boolean =>
  verb === 'config' ? args.some(isRoute) : verb === 'remote' && /^(?:add|set-url|rename)$/.test(args[0]?.text ?? '')

/** It may as well go elsewhere, to other branches. */
function rerouted(effects: readonly Effect[], branches: readonly Slot[] | undefined): GitDoing {
  const talks = effects.find((effect) => effect.does === 'fetch')
  return {
    effects: talks ? [...effects, fetch({ host: unknownSlot }, talks.sends === true)] : effects,
    ...(branches && { branches: talks ? [...branches, unknownSlot] : branches }),
  }
}

/** `-C` moves, `--git-dir` and `--work-tree` name another repository. */
function directoryOf(before: Arguments<Field>, start: string | undefined): string | undefined {
  let cwd = start
  for (const { name, value } of before.flags) {
    if (!value || !/^(?:C|--git-dir|--work-tree)$/.test(name)) continue
    if (!isKnown(value.text)) return undefined
    const path = name === '--git-dir' ? value.text.replace(/(?:^|\/)\.git\/?$/, '') || '.' : value.text
    cwd = path.startsWith('/') ? normalise(path) : cwd === undefined ? undefined : normalise(`${cwd}/${path}`)
  }
  return cwd
}

interface Done {
  effects?: readonly Effect[]
  branches?: readonly Slot[]
}

const COMMIT =
  '-m:F:C:c:t:S:u: --message= --file= --author= --date= --template= --fixup= --squash= --reuse-message= --reedit-message= --trailer= --cleanup= --pathspec-from-file='

const onHead = (call: Call): Done => ({ branches: headOf(call) })
const nothing = (): Done => ({})

const VERBS: Readonly<Record<string, (call: Call) => Done>> = {
  status: nothing,
  log: (call) => {
    const args = parse(call.args, '-O:S:G:L:n: --output= --format= --since= --until= --author= --grep=')
    const shows = hasFlag(args, 'p|u|L|U|c|m|--patch|--patch-with-stat|--patch-with-raw|--full-diff|--word-diff|--cc')
    const lines = values(args, 'L').map((each) => ({ ...each, text: each.text.replace(/^.*:/s, '') }))
    return {
      effects: [
        ...touch('read', shows ? [...pathsIn(args, call), ...lines] : []),
        ...touch('write', values(args, '--output')),
      ],
    }
  },
  show: (call) => {
    const args = parse(call.args, '-O:S:G:L:n: --output= --format=')
    return {
      effects: [
        ...touch('read', [...blobs(call), ...pathsIn(args, call)]),
        ...touch('write', values(args, '--output')),
      ],
    }
  },
  'cat-file': (call) => ({ effects: touch('read', blobs(call)) }),
  diff: diffs,
  difftool: diffs,
  blame: (call) => ({ effects: touch('read', parse(call.args, '-L:S:').operands.slice(-1)) }),
  grep: (call) => {
    const args = parse(call.args, '-e:f:A:B:C:O::m: --max-depth= --threads= --and --or --not')
    const paths = args.operands.slice(hasFlag(args, 'e|f') ? 0 : 1)
    const found = touch('read', paths.length > 0 ? paths : [word('.')], true)
    if (hasFlag(args, '--no-index|--untracked')) return { effects: found }
    return { effects: found.map((each) => ({ ...each, search: { tracked: true } })) }
  },
  add: adds,
  stage: adds,
  rm: (call) => {
    const args = parse(call.args, '--pathspec-from-file=')
    const kept = hasFlag(args, '--cached|n|--dry-run')
    return { effects: kept ? [] : touch('delete', specs(args.operands), hasFlag(args, 'r')) }
  },
  mv: (call) => {
    const { operands } = parse(call.args, '')
    return { effects: [...touch('delete', operands.slice(0, -1), true), ...touch('write', operands.slice(-1), true)] }
  },
  restore: (call) => {
    const args = parse(call.args, '-s:U: --source= --conflict= --pathspec-from-file=')
    const staged = hasFlag(args, 'S|--staged') && !hasFlag(args, 'W|--worktree')
    return { effects: staged ? [] : touch('write', specs(args.operands), true) }
  },
  checkout,
  switch: (call) => {
    const args = parse(call.args, '-c:C: --create= --force-create= --orphan= --conflict=')
    const made = values(args, 'c|C|--create|--force-create|--orphan')
    return moveHead(call, made.length > 0 ? made : args.operands, hasFlag(args, 'C|--force-create') ? made : [])
  },
  clean: (call) => {
    const args = parse(call.args, '-e: --exclude=')
    if (!hasFlag(args, 'f|--force') || hasFlag(args, 'n|--dry-run')) return {}
    return { effects: touch('delete', args.operands.length > 0 ? specs(args.operands) : [word('.')], true) }
  },
  stash: (call) => {
    const { operands } = parse(call.args, '-m: --message= --pathspec-from-file=')
    const [verb, ...paths] = operands
    if (STASH_ONLY.test(verb?.text ?? '')) return {}
    const named = verb?.text === 'push' ? paths : /^(?:save|pop|apply)$/.test(verb?.text ?? '') ? [] : operands
    return { effects: touch('write', named.length > 0 ? specs(named) : [word('.')], true) }
  },
  apply: patches,
  am: (call) => ({ ...patches(call), ...onHead(call) }),
  commit: (call) => {
    const args = parse(call.args, COMMIT)
    const files = values(args, 'F|--file|t|--template')
    return hasFlag(args, '--dry-run') ? {} : { effects: touch('read', files), ...onHead(call) }
  },
  merge: onHead,
  'cherry-pick': onHead,
  revert: onHead,
  rebase: (call) => {
    const { operands } = parse(call.args, '-x:X:s:C: --exec= --onto= --strategy= --strategy-option=')
    return operands.length > 1 ? { branches: operands.slice(1).map(branchSlot) } : onHead(call)
  },
  reset: (call) => {
    const args = parse(call.args, '-U: --pathspec-from-file=')
    const hard = hasFlag(args, '--hard|--merge|--keep')
    return { effects: hard ? touch('write', [word('.')], true) : [], ...onHead(call) }
  },
  branch: (call) => {
    const args = parse(
      call.args,
      '-u: --set-upstream-to= --sort= --format= --contains= --no-contains= --merged= --no-merged= --points-at=',
    )
    const changes = hasFlag(args, 'd|D|f|m|M|c|C|--delete|--force|--move|--copy')
    const deletes = hasFlag(args, 'd|D|--delete')
    const moves = hasFlag(args, 'm|M|--move') && args.operands.length < 2
    const named = (hasFlag(args, 'f|--force') && !deletes ? args.operands.slice(0, 1) : args.operands).map(branchSlot)
    return changes ? { branches: moves ? [...headOf(call), ...named] : named } : {}
  },
  'update-ref': (call) => {
    const args = parse(call.args, '-m:')
    return { branches: hasFlag(args, '--stdin') ? [unknownSlot] : branchNames(args.operands.slice(0, 1), call) }
  },
  'symbolic-ref': (call) => moveHead(call, call.args.filter(({ text }) => !text.startsWith('-')).slice(1), []),
  worktree: (call) => {
    const [verb, path] = parse(call.args, '-b:B: --reason=').operands
    const does = verb?.text === 'add' ? 'write' : verb?.text === 'remove' ? 'delete' : undefined
    return { effects: does ? touch(does, [path], true) : [] }
  },
  push,
  'send-pack': push,
  pull: (call) => ({ effects: talk(call, pullOptions, false), ...onHead(call) }),
  fetch: (call) => {
    const { operands } = parse(call.args, pullOptions)
    const into = operands
      .slice(1)
      .flatMap(({ text }) => (text.includes(':') ? [word(text.replace(/^[^:]*:/, ''))] : []))
    const branches = branchNames(
      into.filter(({ text }) => !text.startsWith('refs/remotes/')),
      call,
    )
    return { effects: talk(call, pullOptions, false), ...(branches.length > 0 ? { branches } : {}) }
  },
  'ls-remote': (call) => ({ effects: talk(call, '-u:o: --upload-pack= --server-option= --sort=', false) }),
  clone: (call) => {
    const { operands } = parse(
      call.args,
      '-b:c:j:o:u: --branch= --config= --depth= --origin= --jobs= --reference= --template= --upload-pack= --separate-git-dir= --filter= --shallow-since= --recurse-submodules',
    )
    const [from, into] = operands
    if (!from) return {}
    const base =
      from.text
        .replace(/\/+$/, '')
        .replace(/\.git$/, '')
        .split(/[/:]/)
        .at(-1) ?? ''
    return {
      effects: [...towards(from, false, call), ...touch('write', [into ?? { ...from, text: base, glob: false }], true)],
    }
  },
  submodule: (call) => {
    const { operands } = parse(call.args, '-b: --branch= --reference= --depth= --name=')
    return operands[0]?.text === 'add' && operands[1] ? { effects: towards(operands[1], false, call) } : {}
  },
  remote: (call) => {
    const [verb, ...names] = call.args
    const talks = verb?.text === 'update' || verb?.text === 'prune' || verb?.text === 'show'
    return { effects: talks ? talk({ ...call, args: names.length > 0 ? names : [word('--all')] }, '', false) : [] }
  },
  config: (call) => {
    const args = parse(call.args, '-f: --file= --type= --default= --blob=')
    const [first, second, third] = args.operands
    const sets =
      first?.text === 'set'
        ? third !== undefined
        : second !== undefined || hasFlag(args, '--unset|--add|--replace-all|--unset-all|--remove-section')
    const own = values(args, 'f|--file')
    const file =
      own.length > 0
        ? own
        : hasFlag(args, '--global')
          ? [word(`${call.look.home ?? '~'}/.gitconfig`)]
          : [word('.git/config')]
    return { effects: sets ? touch('write', file) : [] }
  },
  'format-patch': (call) => ({
    effects: touch('write', values(parse(call.args, '-o:n:v: --output-directory='), 'o|--output-directory'), true),
  }),
  archive: (call) => {
    const args = parse(call.args, '-o: --output= --remote= --prefix= --format=')
    return {
      effects: [
        ...touch('read', args.operands.slice(1)),
        ...touch('write', values(args, 'o|--output')),
        ...values(args, '--remote').flatMap((each) => towards(each, false, call)),
      ],
    }
  },
  subtree: (call) => {
    const args = parse(call.args, '-P:m:b: --prefix= --message= --branch=')
    const [verb, to, ref] = args.operands
    if (verb?.text === 'push')
      return { effects: to ? towards(to, true, call) : [], branches: ref ? [branchSlot(ref)] : [unknownSlot] }
    return { effects: to && verb?.text !== 'split' ? towards(to, false, call) : [], ...onHead(call) }
  },
  bundle: (call) => ({
    effects:
      call.args[0]?.text === 'create' ? touch('write', call.args.slice(1, 2)) : touch('read', call.args.slice(1, 2)),
  }),
  init: (call) => {
    const { operands } = parse(call.args, '-b: --initial-branch= --template= --separate-git-dir=')
    return { effects: touch('write', operands.length > 0 ? operands : [word('.')]) }
  },
}

/** They leave the files alone. */
const STASH_ONLY = /^(?:list|show|drop|clear|branch|create|store)$/

/** Git matches what it is given by itself: `:/` is the whole tree, a quoted `'*.yaml'` is a pattern. */
const specs = (words: readonly Field[]): Field[] =>
  words.flatMap((each) => {
    const [magic = ''] = /^:(?:\([^)]*\)|[/!^]*)/.exec(each.text) ?? []
    if (/[!^]|exclude/.test(magic)) return []
    const text = each.text.slice(magic.length) || '.'
    return [{ ...each, text, glob: each.glob || /[*?[]/.test(text) }]
  })

/** `HEAD:.env`: a file as it was. */
const blobs = ({ args }: Call): Field[] =>
  args.flatMap(({ text }) => (/^[^-:][^:]*:./.test(text) ? [word(text.replace(/^[^:]*:/, ''))] : []))

/** What stands behind `--`, and what is there under that name. */
const pathsIn = ({ operands, beforeDashes }: Arguments<Field>, call: Call): Field[] =>
  operands.filter((each, at) => at >= beforeDashes || (call.look.realpath !== undefined && isPath(each, call)))

function diffs(call: Call): Done {
  const args = parse(call.args, '-O:S:G:U:t:x: --output= --stat= --diff-filter= --word-diff-regex= --tool= --extcmd=')
  const both = hasFlag(args, '--no-index') ? args.operands : pathsIn(args, call)
  const whole = hasFlag(args, '--no-index')
  return { effects: [...touch('read', both, whole), ...touch('write', values(args, '--output'))] }
}

const pullOptions =
  '-j:o:X:s: --depth= --deepen= --shallow-since= --shallow-exclude= --upload-pack= --refmap= --server-option= --strategy= --strategy-option= --jobs= --negotiation-tip= --recurse-submodules-default='

/** What is ignored stays out, unless forced: only files that are named are certainly read. */
function adds(call: Call): Done {
  const args = parse(call.args, '--chmod= --pathspec-from-file=')
  return { effects: touch('read', args.operands, hasFlag(args, 'f|--force')) }
}

function patches(call: Call): Done {
  const args = parse(call.args, '-p:C: --directory= --exclude= --include= --whitespace=')
  const looks = hasFlag(args, '--check|--stat|--numstat|--summary')
  return { effects: [...touch('read', args.operands), ...(looks ? [] : touch('write', [word('.')], true))] }
}

function checkout(call: Call): Done {
  const args = parse(call.args, '-b:B:U: --orphan= --conflict= --pathspec-from-file=')
  const made = values(args, 'b|B|--orphan')
  if (made.length > 0) return moveHead(call, made, hasFlag(args, 'B') ? made : [])
  const dashes = call.args.some(({ text }) => text === '--')
  // One side of a conflict is chosen for files, never for a branch.
  const sides = hasFlag(args, '2|3|--ours|--theirs')
  const paths = dashes ? args.operands.slice(args.beforeDashes) : args.operands.slice(sides ? 0 : 1)
  const [first] = args.operands
  if (paths.length > 0) return { effects: touch('write', specs(paths), true) }
  if (!first) return {}
  if (isPath(first, call)) return { effects: touch('write', specs([first]), true) }
  const before = headOf(call)
  const moved = moveHead(call, [first], [])
  // Without the machine, the word may be a branch as well as a file.
  if (!call.look.realpath && call.cwd !== undefined) call.heads.set(call.cwd, [branchSlot(first), ...before])
  return call.look.realpath ? moved : { effects: touch('write', [first], true) }
}

function isPath({ text }: Field, { cwd, look }: Call): boolean {
  if (/^(?:\.{1,2}(?:\/.*)?|:\/.*|\*.*)$/.test(text)) return true
  if (!isKnown(text) || cwd === undefined) return false
  return look.realpath?.(text.startsWith('/') ? text : `${cwd}/${text}`) !== undefined
}

function moveHead(call: Call, [to]: readonly Field[], changed: readonly Field[]): Done {
  if (to && call.cwd !== undefined) call.heads.set(call.cwd, to.text === '-' ? [unknownSlot] : [branchSlot(to)])
  return changed.length > 0 ? { branches: changed.map(branchSlot) } : {}
}

/** Empty where HEAD is on no branch. */
function headOf({ repository, heads, cwd }: Call): readonly Slot[] {
  const moved = cwd === undefined ? undefined : heads.get(cwd)
  if (moved) return moved
  if (repository?.branch === undefined) return [unknownSlot]
  return repository.branch === '' ? [] : [known(repository.branch)]
}

function push(call: Call): Done {
  const args = parse(call.args, '-o: --repo= --push-option= --receive-pack= --exec= --recurse-submodules=')
  const effects = talk(call, '-o: --repo= --push-option= --receive-pack= --exec= --recurse-submodules=', true)
  if (hasFlag(args, 'n|--dry-run')) return { effects }
  if (hasFlag(args, '--all|--branches|--mirror|--prune')) return { effects, branches: [unknownSlot] }
  const refs = args.operands.slice(hasFlag(args, '--repo') && args.operands.length === 0 ? 0 : 1)
  if (refs.length === 0) return { effects, branches: defaultTargets(call) }
  return {
    effects,
    branches: branchNames(
      refs.flatMap((ref, at) => targetRefs(ref, refs[at - 1])),
      call,
    ),
  }
}

/** What `push.default` is, nobody knows: the branch of the same name, or the one it follows. */
function defaultTargets(call: Call): readonly Slot[] {
  const { repository } = call
  const heads = headOf(call)
  const moved = call.cwd !== undefined && call.heads.has(call.cwd)
  const remotes = Object.keys(repository?.remotes ?? {})
  const upstream = moved ? undefined : repository?.upstream?.replace(/^refs\/(?:heads|remotes)\//, '')
  const remote = remotes.find((each) => upstream?.startsWith(`${each}/`)) ?? 'origin'
  const followed = upstream?.startsWith(`${remote}/`) ? upstream.slice(remote.length + 1) : upstream
  const all = followed === undefined ? heads : [...heads, known(followed)]
  return all.filter((slot, at) => all.findIndex((other) => other.parts.join('\0') === slot.parts.join('\0')) === at)
}

/** The right side of a refspec; `:` alone pushes all that both sides have. */
function targetRefs(ref: Field, before: Field | undefined): Field[] {
  if (ref.text === 'tag' || before?.text === 'tag') return []
  const plain = ref.text.replace(/^\+/, '')
  if (plain === ':') return [{ ...ref, text: '*', glob: true }]
  const colon = plain.lastIndexOf(':')
  return [
    { ...ref, text: colon < 0 ? plain : plain.slice(colon + 1) || plain.slice(0, colon), glob: plain.includes('*') },
  ]
}

function branchNames(refs: readonly Field[], call: Call): readonly Slot[] {
  return refs
    .filter(({ text }) => !text.startsWith('refs/tags/'))
    .flatMap((ref) => (/^(?:HEAD|@)$/.test(ref.text) ? headOf(call) : [branchSlot(ref)]))
}

/** `refs/heads/main` and `heads/main` are `main`; where `@{upstream}` or `main^` leads is not known. */
function branchSlot(ref: Field): Slot {
  if (/@\{|[~^]/.test(ref.text)) return unknownSlot
  const name = ref.text.replace(/\/{2,}/g, '/').replace(/^(?:refs\/)?heads\//, '')
  const { parts } = slotOf(name, name.includes('*'))
  return { parts }
}

function talk(call: Call, options: string, sends: boolean): Effect[] {
  const args = parse(call.args, options)
  const [own] = [...values(args, '--repo'), ...args.operands]
  const { repository } = call
  const remotes = repository?.remotes
  if (hasFlag(args, '--all|--multiple') && !own)
    return remotes
      ? Object.values(remotes).flatMap((url) => towards(word(url), sends, call))
      : [fetch({ host: unknownSlot }, sends)]
  if (own) return towards(own, sends, call)
  const upstream = repository?.upstream?.replace(/^refs\/remotes\//, '')
  const names = Object.keys(remotes ?? {})
  const name =
    (sends ? repository?.pushRemote : undefined) ??
    names.find((each) => upstream?.startsWith(`${each}/`)) ??
    (names.includes('origin') ? 'origin' : names[0])
  return name === undefined ? [fetch({ host: unknownSlot }, sends)] : towards(word(name), sends, call)
}

/** A remote by its name, an address, or a path of this machine. */
function towards(to: Field, sends: boolean, call: Call): Effect[] {
  const remotes = call.repository?.remotes
  const url = (sends ? lookup(call.repository?.pushes ?? {}, to.text) : undefined) ?? lookup(remotes ?? {}, to.text)
  const named = url === undefined ? to : word(url)
  const target: Target | undefined = remoteOf(named)
  if (target) return [fetch(target, sends)]
  if (isKnown(named.text) && (named !== to || /^(?:\.{0,2}\/|~|file:)/.test(named.text)))
    return touch(sends ? 'write' : 'read', [{ ...named, text: named.text.replace(/^file:\/\//, '') }], true)
  return [fetch({ host: unknownSlot }, sends)]
}

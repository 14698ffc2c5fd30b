import { flagValues, hasFlag, lookup, parseArguments, readOptions } from '../../../shell/index.ts'
import { GIT_RUNS_LATER } from '../dangers.ts'
import { report } from '../findings.ts'
import { isForeignServer } from '../forges.ts'
import { judgeWrite } from '../losses.ts'
import { placeOf, resolvePath } from '../places.ts'
import { runScript, runWords } from '../scripts.ts'
import { isAgentConfig, isSecret, mustStay } from '../sensitive.ts'
import { emptiest, type Field, field, isKnown, SOME, stream, type Taint } from '../text.ts'
import type { Arguments, Call, Danger } from '../types.ts'
import { contentOf, holdsBelow } from '../written.ts'
import { isRunByGit, judgeSetting } from './git-programs.ts'
import { rememberSetting, settingOf, settingsOf } from './git-settings.ts'
import type { Family, Judge } from './rules.ts'

export const GIT_OPTIONS =
  '-C:c: --git-dir= --work-tree= --namespace= --config-env= --exec-path= --super-prefix= --attr-source='

export const git: Family = {
  judges: {
    git: (outer) => {
      const before = parseArguments(outer.args, readOptions(GIT_OPTIONS), true)
      // What `-c` sets holds for this call only.
      const own = { ...outer.state, variables: new Map(outer.state.variables) }
      const call = hasFlag(before, 'c') ? { ...outer, state: own } : outer
      const [verb, ...rest] = before.operands
      const aliases = inlineConfig(before, call)
      const name = verb?.text.toLowerCase() ?? ''
      const alias = aliases.get(name)
      if (alias !== undefined) return runAlias(alias, rest, call)
      const found = lookup(VERBS, name)?.({ ...call, args: rest }) ?? []
      const inWorkTree = !rest.some((word) => /^--(?:staged|cached)$/.test(word.text))
      const replaces = inWorkTree && CHANGES_FILES.has(name) && rest.some((word) => isAgentConfig(word, call.state))
      // Alone it prints where git's programs are; with a value it replaces them.
      const others = call.args.some((word) => word.text.startsWith('--exec-path='))
      const lost = isScratchRepository(before, call) ? [found].flat().map(asScratch) : [found].flat()
      return [...lost, ...(replaces ? [REPLACES_GUARD] : []), ...(others ? [RUNS_OTHER] : [])]
    },
    'git-filter-repo bfg': () => REWRITES,
  },
}

/** A repository below /tmp was made for a test. What goes to a server counts wherever it comes from. */
function isScratchRepository(before: Arguments, call: Call): boolean {
  const { state } = call
  if (before.flags.some(({ name }) => /^--(?:git-dir|work-tree|namespace)$/.test(name))) return false
  if (state.variables.has('GIT_DIR') || state.variables.has('GIT_WORK_TREE')) return false
  const [given, ...others] = flagValues(before, 'C')
  const place = given ?? (state.cwd === undefined ? undefined : field(state.cwd))
  return others.length === 0 && place !== undefined && isScratchPlace(place, call)
}
/** The project itself may lie there, too. */
function isScratchPlace(place: Field, { state }: Call): boolean {
  const path = resolvePath(place.text, state)
  if (path === undefined || !path.startsWith('/') || !isKnown(path) || placeOf(place, state) !== 'temp') return false
  return state.start === undefined || !`${path}/`.startsWith(`${state.start}/`)
}
const asScratch = (danger: Danger): Danger => (LOCAL.has(danger) ? { ...danger, radius: 'low', mild: true } : danger)

/** Verbs that delete, move or replace the files they name. */
const CHANGES_FILES = new Set(['rm', 'mv', 'checkout', 'restore', 'update-index', 'checkout-index'])

const parse = (call: Call, options: string) => parseArguments(call.args, readOptions(options))
/** Git takes the beginning of a long option for it; what is too short for git to tell is counted too. */
const given = (args: Arguments, alternatives: string): boolean =>
  hasFlag(args, alternatives) ||
  args.flags.some(
    ({ name }) =>
      /^--[a-z]/.test(name) && alternatives.split('|').some((each) => each.startsWith('--') && each.startsWith(name)),
  )
const when = (condition: boolean, danger: Danger) => (condition ? danger : undefined)

/** With these, a second operand is a pattern, and nothing is set. */
const READS_SETTING =
  'l|e|--list|--edit|--get|--get-all|--get-regexp|--get-urlmatch|--get-color|--get-colorbool|--unset|--unset-all|--remove-section|--rename-section'

const VERBS: Record<string, Judge> = {
  reset: (call) => when(given(parse(call, '-U: --pathspec-from-file='), '--hard|--merge'), DISCARDS),
  clean: (call) => {
    const args = parse(call, '-e: --exclude=')
    const armed = settingOf(call, 'clean.requireforce')?.toLowerCase()
    const forced = given(args, 'f|--force') || /^(?:false|no|off|0)$/.test(armed ?? '')
    return when(forced && !hasFlag(args, 'n|--dry-run|i|--interactive'), CLEANS)
  },
  checkout: (call) => {
    const args = parse(call, '-b:B:U: --orphan= --conflict= --pathspec-from-file= --unified= --inter-hunk-context=')
    const dashes = call.args.some((word) => word.text === '--')
    const creates = hasFlag(args, 'b|B|--orphan')
    const { operands } = args
    const paths = dashes
      ? operands.length > args.beforeDashes
      : operands.length > 1 && !creates && !isValueOfSwitch(call)
    const all = operands.some((word) => /^(?:\.|\.\/|:\/|\*|:\(top\))$/.test(word.text))
    const forced = given(args, 'f|--force') || hasFlag(args, '--pathspec-from-file')
    const sides = given(args, '--ours|--theirs') && operands.length > 0
    return (
      when((paths && !creates) || (all && !creates) || forced || sides, DISCARDS) ??
      when(hasFlag(args, 'B'), MOVES_BRANCH)
    )
  },
  switch: (call) => {
    const args = parse(call, '-c:C: --create= --force-create= --orphan= --conflict=')
    return (
      when(given(args, 'f|--force|--discard-changes'), DISCARDS) ?? when(given(args, 'C|--force-create'), MOVES_BRANCH)
    )
  },
  restore: (call) => {
    const args = parse(call, '-s:U: --source= --conflict= --pathspec-from-file=')
    const staged = hasFlag(args, 'S|--staged') && !hasFlag(args, 'W|--worktree')
    return when(!staged && (args.operands.length > 0 || hasFlag(args, '--pathspec-from-file')), DISCARDS)
  },
  push: (call) => {
    const args = parse(call, '-o:u --repo= --push-option= --receive-pack= --exec=')
    const lease = call.args.findLastIndex((word) => word.text.startsWith('--force-with-lease'))
    const force = call.args.findLastIndex((word) => isForce(word))
    if (hasFlag(args, 'n|--dry-run')) return undefined
    const refs = args.operands.slice(1)
    const forcedRef = refs.some((word) => word.text.startsWith('+'))
    const to = args.operands[0]?.text ?? 'origin'
    const foreign = isForeignServer(settingOf(call, `remote.${to.toLowerCase()}.url`) ?? to)
    const deletes = given(args, 'd|--delete|--prune') || refs.some((word) => /^:./.test(word.text))
    if (given(args, '--mirror')) return FORCES
    return (
      when(forcedRef, FORCES) ??
      when(deletes, DELETES_REMOTE) ??
      when(force > lease && force >= 0 && beforeDashes(call, force), FORCES) ??
      when(lease >= 0 && refs.some((word) => SHARED_BRANCH.test(word.text.replace(/^.*:/, ''))), FORCES) ??
      when(foreign, SENDS_AWAY)
    )
  },
  branch: (call) => {
    const args = parse(call, '-u: --set-upstream-to= --sort= --format= --contains= --points-at=')
    const forced = hasFlag(args, 'D') || (given(args, 'd|--delete') && given(args, 'f|--force'))
    return when(forced || hasFlag(args, 'M') || (given(args, 'f|--force') && args.operands.length > 1), DROPS_BRANCH)
  },
  stash: (call) => {
    const [verb] = parse(call, '-m:').operands
    return when(verb?.text === 'clear' || verb?.text === 'drop', DROPS_STASH)
  },
  reflog: (call) => {
    const args = parse(call, '')
    return when(
      /^(?:expire|delete|drop)$/.test(args.operands[0]?.text ?? '') && !hasFlag(args, 'n|--dry-run'),
      NO_RECOVERY,
    )
  },
  gc: (call) => when(/^(?:now|all|0|today)/.test(flagValues(parse(call, ''), '--prune')[0]?.text ?? ''), NO_RECOVERY),
  prune: (call) => when(!hasFlag(parse(call, ''), 'n|--dry-run'), NO_RECOVERY),
  'filter-branch': () => REWRITES,
  'filter-repo': (call) => when(!hasFlag(parse(call, ''), 'n|--dry-run|--analyze'), REWRITES),
  'update-ref': (call) => {
    const args = parse(call, '-m:')
    const moves = /^(?:HEAD$|refs\/(?:heads|remotes|tags)\/)/.test(args.operands[0]?.text ?? '')
    return when(hasFlag(args, 'd|--stdin') || (moves && args.operands.length === 2), DROPS_BRANCH)
  },
  worktree: (call) => {
    const args = parse(call, '-b:B: --reason=')
    const [verb, place] = args.operands
    const kept = !place || !isScratchPlace(place, call)
    return when(verb?.text === 'remove' && given(args, 'f|--force') && kept, DISCARDS)
  },
  submodule: (call) => {
    const args = parse(call, '')
    return when(args.operands[0]?.text === 'deinit' && given(args, 'f|--force'), DISCARDS)
  },
  rm: (call) => {
    const args = parse(call, '--pathspec-from-file=')
    return when(given(args, 'f|--force') && hasFlag(args, 'r') && !hasFlag(args, '--cached|n|--dry-run'), DISCARDS)
  },
  'checkout-index': (call) => when(given(parse(call, ''), 'f|--force'), DISCARDS),
  'read-tree': (call) => when(given(parse(call, ''), '--reset'), DISCARDS),
  'symbolic-ref': (call) => when(given(parse(call, '-m:'), 'd|--delete'), DROPS_BRANCH),
  remote: (call) => {
    const [verb, name, url] = parse(call, '-t:m:').operands
    if (/^(?:add|set-url)$/.test(verb?.text ?? '') && name && url)
      rememberSetting(`remote.${name.text}.url`, url, call.state)
    return when(/^(?:remove|rm)$/.test(verb?.text ?? ''), DROPS_REMOTE)
  },
  notes: (call) => when(/^(?:prune|remove)$/.test(parse(call, '').operands[0]?.text ?? ''), NO_RECOVERY),
  add: stagesSecret,
  stage: stagesSecret,
  commit: (call) =>
    when(
      call.args.some(({ taints }) => taints.some((taint) => taint === 'credential' || taint === 'secret')),
      PUBLISHES_SECRET,
    ) ?? bypasses('n|--no-verify')(call),
  merge: (call) => bypasses('--no-verify')(call),
  rebase: (call) => bypasses('--no-verify')(call),
  am: (call) => bypasses('n|--no-verify')(call),
  svn: (call) => when(parse(call, '').operands[0]?.text === 'reset', DISCARDS),
  tag: (call) => when(given(parse(call, '-m:F:u:n:'), 'd|--delete'), DROPS_TAG),
  replace: (call) => when(given(parse(call, ''), 'd|f|--delete|--force|--graft|--edit|--convert-graft-file'), REWRITES),
  lfs: (call) => when(parse(call, '').operands[0]?.text === 'prune', NO_RECOVERY),
  annex: (call) => {
    const args = parse(call, '')
    const [verb] = args.operands
    return when(
      /^(?:dropunused|uninit)$/.test(verb?.text ?? '') ||
        (/^(?:drop|move|dropkey)$/.test(verb?.text ?? '') && given(args, 'f|--force')),
      NO_RECOVERY,
    )
  },
  config: (call) => {
    const args = parse(call, '-f: --file= --type= --default= --blob= --comment= --value=')
    if (hasFlag(args, READS_SETTING) || /^(?:get|list|unset|edit)$/.test(args.operands[0]?.text ?? '')) return undefined
    const [key, value] = args.operands[0]?.text === 'set' ? args.operands.slice(1) : args.operands
    if (!key || !value) return undefined
    rememberSetting(key.text, value, call.state)
    // What it would run counts by itself, whatever the setting is.
    if (/^alias\./i.test(key.text) ? value.text.startsWith('!') : isRunByGit(key.text))
      runScript(stream(value.text.replace(/^!/, ''), value.taints), withInput(key.text, call))
    return judgeSetting(key.text, isKnown(value.text) ? value.text : (emptiest(value.text) ?? SOME))
  },
  diff: writesOutput,
  log: writesOutput,
  show: writesOutput,
  'format-patch': () => undefined,
  grep: (call) =>
    when(
      call.args.some((word) => /^(?:-O|--open-files-in-pager)/.test(word.text)),
      RUNS_OTHER,
    ),
  'ls-remote': (call) => uploadPack(call, '--upload-pack|--exec'),
  clone: (call) => uploadPack(call, 'u|--upload-pack', 'c|--config'),
  fetch: (call) => uploadPack(call, '--upload-pack'),
  pull: (call) => uploadPack(call, '--upload-pack'),
  archive: (call) => when(flagValues(parse(call, '-o: --output= --remote= --exec='), '--exec').length > 0, RUNS_OTHER),
}

function writesOutput(call: Call): Danger | undefined {
  const args = parse(call, '-O:S:G:L:n: --output= --format= --since=')
  const [target] = flagValues(args, '--output')
  const written = target && judgeWrite(target, call.state)
  return (
    written ??
    when(hasFlag(args, '--output'), WRITES_OUTPUT) ??
    when(hasFlag(args, '--ext-diff|--textconv'), RUNS_OTHER)
  )
}

/** Which program answers at the other end, and which settings a clone begins with. */
function uploadPack(call: Call, programs: string, settings = ''): Danger | undefined {
  const args = parse(call, `${CLONES}${settings === '' ? '' : ' -u:c: --config='}`)
  const packs = flagValues(args, programs).filter((program) => program !== undefined)
  for (const program of packs) runScript(program, call)
  const set = settings === '' ? [] : flagValues(args, settings).map((setting) => setting?.text.split('=') ?? [])
  return when(
    args.operands.some((word) => /^ext::/.test(word.text)) ||
      packs.some(({ text }) => !/^(?:\/[\w./-]*\/)?git[- ]upload-pack$/.test(text)) ||
      set.some(([key = '', ...value]) => judgeSetting(key, value.join('=')) !== undefined),
    RUNS_OTHER,
  )
}
const CLONES = '-o:b:j: --upload-pack= --exec= --branch= --depth= --origin= --template= --refmap= --filter='

/** `git -c alias.x=…`: what runs is judged, and aliases are remembered for the verb. */
function inlineConfig(args: Arguments, call: Call): Map<string, string> {
  const aliases = new Map<string, string>()
  const inline = flagValues(args, 'c').map((setting): [string, string, Field | undefined] => {
    const [key = '', ...rest] = setting?.text.split('=') ?? []
    return [key, rest.join('='), setting]
  })
  const earlier = settingsOf(call).map(([key, value]): [string, string, undefined] => [key, value, undefined])
  for (const [key, value] of inline) if (key !== '') rememberSetting(key, field(value), call.state)
  for (const [key, value, setting] of [...earlier, ...inline]) {
    if (!isRunByGit(key)) continue
    if (key.toLowerCase().startsWith('alias.')) aliases.set(key.slice(6).toLowerCase(), value)
    else if (/hookspath$/i.test(key)) report(call.run, 'unknown', GIT_RUNS_LATER, call.shown)
    else {
      runScript(stream(value.replace(/^!/, ''), setting?.taints ?? []), withInput(key, call))
      // Editors of one call are often written on the spot; what they run was just judged.
      if (!/editor$/i.test(key) && isKnown(value) && judgeSetting(key, value))
        report(call.run, 'destructive', RUNS_OTHER, call.shown)
    }
  }
  return aliases
}

/** A helper reads credentials from git. */
const isHelper = (key: string): boolean => /^credential(?:\..*)?\.helper$/i.test(key)
const withInput = (key: string, call: Call): Call =>
  isHelper(key) ? { ...call, wiring: { ...call.wiring, stdin: stream(SOME, ['secret']), captured: true } } : call

function runAlias(alias: string, rest: readonly Field[], call: Call): undefined {
  const command = alias.startsWith('!') ? alias.slice(1) : `git ${alias}`
  const words = command.split(/\s+/).map((text) => ({ text, taints: [], glob: false }))
  if (alias.startsWith('!')) runScript(stream(command), call)
  else runWords([...words, ...rest], call)
  return undefined
}

const isForce = (word: Field) => /^--f(?:o(?:r(?:c(?:e)?)?)?)?$/.test(word.text) || /^-[a-zA-Z]*f/.test(word.text)

const isOurs = (taint: Taint): boolean => taint === 'secret' || taint === 'typed'

/** A file of credentials that gets into the history is there for everybody who fetches it. */
function stagesSecret(call: Call): Danger | undefined {
  const args = parse(call, '--chmod= --pathspec-from-file=')
  if (hasFlag(args, 'n|--dry-run')) return undefined
  const private_ = (word: Field) =>
    isSecret(word, call.state) ||
    mustStay(word, call.state) ||
    contentOf(word, call.state).taints.some(isOurs) ||
    holdsBelow(word, call.state, isOurs)
  return when(args.operands.some(private_), PUBLISHES_SECRET)
}

const bypasses =
  (names: string): Judge =>
  (call) => {
    const args = parse(
      call,
      '-m:F:C:c:t:u:S:s:X:x: --message= --file= --author= --date= --template= --trailer= --fixup= --squash=',
    )
    return when(hasFlag(args, names), BYPASSES)
  }

function beforeDashes(call: Call, index: number): boolean {
  const dashes = call.args.findIndex((word) => word.text === '--')
  return dashes < 0 || index < dashes
}

/** `checkout --track direct main`, `--recurse-submodules on-demand main`: an option's value, not a second operand. */
function isValueOfSwitch(call: Call): boolean {
  return call.args.some(
    (word, index) =>
      (/^(?:--track|-t)$/.test(word.text) && /^(?:direct|inherit)$/.test(call.args[index + 1]?.text ?? '')) ||
      (word.text === '--recurse-submodules' && /^(?:checkout|on-demand)$/.test(call.args[index + 1]?.text ?? '')),
  )
}

const make = (radius: Danger['radius'], reason: string): Danger => ({ category: 'git-destroy', radius, reason })
const DISCARDS = make('medium', 'It throws away changes that were never committed.')
const REPLACES_GUARD: Danger = {
  category: 'self-protection',
  radius: 'high',
  reason: 'It deletes or replaces the configuration that watches over the agent.',
}
const CLEANS = make('medium', 'It deletes files that git does not track and cannot bring back.')
const FORCES = make('high', 'It overwrites the history that others have on the server.')
const DELETES_REMOTE = make('high', 'It deletes a branch or tag on the server.')
const DROPS_BRANCH = make('medium', 'It deletes a branch even if its commits are nowhere else.')
const MOVES_BRANCH = make('medium', 'It moves a branch even if its commits are nowhere else.')
/** What these lose, only this repository had. */
const LOCAL: ReadonlySet<Danger> = new Set([DISCARDS, CLEANS, DROPS_BRANCH, MOVES_BRANCH])
const DROPS_TAG: Danger = { ...make('low', 'It deletes a tag.'), mild: true }
const DROPS_REMOTE: Danger = { ...make('low', 'It forgets a server and everything known of it.'), mild: true }
const BYPASSES: Danger = { ...make('low', 'It goes round the checks that run before a commit.'), mild: true }
/** Branches that everybody builds on. */
const SHARED_BRANCH = /^(?:refs\/heads\/)?(?:main|master|trunk|develop|production|release(?:[/-].*)?)$/
const SENDS_AWAY: Danger = {
  category: 'exfiltration',
  radius: 'medium',
  reason: 'It sends the history to a server that is not one of the repository.',
}
const PUBLISHES_SECRET: Danger = {
  category: 'exfiltration',
  radius: 'high',
  reason: 'It puts credentials into the history, for everybody who fetches it.',
}
const DROPS_STASH = make('medium', 'It deletes stashed changes for good.')
const NO_RECOVERY = make('high', 'It deletes what git keeps to undo mistakes.')
const REWRITES = make('high', 'It rewrites the whole history of the repository.')
const WRITES_OUTPUT: Danger = {
  category: 'fs-overwrite',
  radius: 'low',
  reason: 'It writes its output to a file.',
  mild: true,
}
const RUNS_OTHER: Danger = { category: 'hidden-exec', radius: 'medium', reason: 'It makes git run another program.' }

import { injectingVariable, lookup, quoteAlways } from '../../shell/index.ts'
import { report } from './findings.ts'
import { type Field, isKnown, type Stream, stream } from './text.ts'
import { newTrace, within } from './trace.ts'
import type { Danger, Finding, Run, State, Wiring } from './types.ts'
import { contentOf } from './written.ts'

/** Names that change how output looks, and nothing else. */
const HARMLESS =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|TERM|DEBUG|VERBOSE|CI)$/
/** And only with values that name no file: `LANGUAGE=../../x` loads translations from there. */
const PLAIN = /^(?!.*\.\.)\w?[\w.@:,+*=-]*(?:\/[\w+-]+){0,2}$/
/** Lower-case names that are not ordinary: zsh ties some to PATH and its kind, others to its own functions and aliases; programs read the proxies. */
const TIED =
  /^(?:functions|dis_functions|aliases|[gs]aliases|dis_[gs]?aliases|commands|nameddirs|options|modules|path|fpath|cdpath|manpath|mailpath|module_path|prompt|psvar|.*_proxy)$/
const GUARD_SWITCH =
  /^(?!HUSKY)(?:HOOKLINE_.*|.*HOOKS?_(?:DISABLED?|OFF|SKIP|BYPASS)|(?:DISABLE|SKIP|BYPASS|NO)_(?:.*_)?(?:HOOKS?|GUARDS?))$/

/** Code that is no package of the project: inline, or from where anybody can write. */
const FOREIGN = /data:|(?:[\s=:]|-r|^)\/(?:tmp|var\/tmp|dev)\//

const OPEN_PLACE = /^\/(?:tmp|var\/tmp|dev\/shm)(?:\/\S*)?$/

/** What is typed from now on is written down nowhere. */
const FORGETS = /^(?:HISTFILE=(?:|\/dev\/null)|HIST(?:FILE)?SIZE=0|SAVEHIST=0|HISTIGNORE=['"]?\*)$/

/** What setting a variable does beyond setting a variable. */
export function judgeAssignment(
  name: string,
  value: Field,
  exported: boolean,
  state: State,
  run: Run,
  wiring: Wiring,
  shown: string,
): void {
  const quiet: Wiring = { ...wiring, stdin: undefined, captured: true, background: false, piped: false }
  const { does, code } = injectingVariable(name) ?? {}
  // It prints where the program would have.
  // `|-` in front of it says how it is connected, not what it is.
  const command = { ...value, text: value.text.replace(/^\|[|-]*/, '') }
  if (does === 'command') run.walker.script(command, state, within(run, name), { ...quiet, captured: false })
  else if (does === 'expanded' && /[$`]/.test(value.text))
    run.walker.script({ ...value, text: `: "${value.text}"` }, state, within(run, name), quiet)
  else if (does === 'file') {
    const script = contentOf(value, state)
    if (script.taints.includes('remote')) report(run, 'destructive', HIDES, shown)
    if (isKnown(script.text)) run.walker.script(script, state, within(run, name), quiet)
  } else if (does === 'preload' && value.text !== '' && !/^\/(?:usr\/)?lib/.test(value.text)) {
    report(run, 'destructive', INJECTS, shown)
  } else if (GUARD_SWITCH.test(name)) report(run, 'destructive', DISARMS, shown)
  if (FORGETS.test(`${name}=${value.text}`)) report(run, 'destructive', LEAVES_NO_RECORD, shown)
  // A script that shells or programs load by its name, from where anybody can write.
  if ((does === 'file' || does === 'command' || lookup(OPTIONS_OF, name)?.script) && OPEN_PLACE.test(value.text))
    report(run, 'destructive', HIDES, shown)
  if (code && value.text.split(/[:;]/).some((part) => OPEN_PLACE.test(part))) report(run, 'destructive', HIDES, shown)
  const options = lookup(OPTIONS_OF, name)
  if (options?.hides?.test(value.text)) report(run, 'destructive', HIDES, shown)
  if (options?.script && value.text !== '')
    judgeQuietly(stream(options.script(value.text), value.taints), name, state, run, quiet)
  const local = !exported && /^(?:[a-z_][a-z0-9_]*|[A-Z])$/.test(name) && !TIED.test(name)
  const ordinary = (HARMLESS.test(name) && PLAIN.test(value.text)) || local
  if (ordinary) return
  run.reading.more = true
  if (!run.trace.set.includes(name)) run.trace.set.push(name)
  report(run, 'unknown', changes(name), shown)
}

/** Variables whose value a program reads as options, as code, or as a command. */
const OPTIONS_OF: Readonly<Record<string, { script?: (value: string) => string; hides?: RegExp }>> = {
  TAR_OPTIONS: {
    script: (value) => `tar -cf /dev/null x ${value}`,
    hides:
      /exec=|--(?:remove-files|recursive-unlink|to-command|use-compress-program|rsh-command|rmt-command|info-script|new-volume-script)|(?:^|\s)-[A-Za-z]*[IF]/,
  },
  ZIPOPT: { hides: /-TT|--unzip-command/ },
  MAKEFLAGS: { script: (value) => `make ${value.replace(/^[^-\s]*\s*/, '')}`, hides: /\$\(shell/ },
  GNUMAKEFLAGS: { script: (value) => `make ${value}`, hides: /\$\(shell/ },
  PERL5DB: { script: (value) => `perl -e ${quoteAlways(value)}` },
  // What follows the name of a module is code.
  PERL5OPT: { script: (value) => `perl ${value} -e 1`, hides: /[;({`]|(?:^|\s|[MmI])\/(?:tmp|var\/tmp|dev)\// },
  RUBYOPT: { script: (value) => `ruby ${value} -e 1`, hides: FOREIGN },
  NODE_OPTIONS: { hides: FOREIGN },
  BUN_OPTIONS: { hides: FOREIGN },
  PYTHONSTARTUP: { hides: FOREIGN },
  JAVA_TOOL_OPTIONS: { hides: FOREIGN },
  _JAVA_OPTIONS: { hides: FOREIGN },
  JDK_JAVA_OPTIONS: { hides: FOREIGN },
  GOFLAGS: { hides: /-toolexec[ =]|-exec[ =]/ },
  LESS: { hides: /\+!/ },
  ...Object.fromEntries(
    (
      'FZF_DEFAULT_COMMAND FZF_CTRL_T_COMMAND FZF_ALT_C_COMMAND RSYNC_CONNECT_PROG RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTC CARGO_BUILD_RUSTC_WRAPPER ' +
      'CC CXX LD AR CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL npm_config_git NPM_CONFIG_GIT ' +
      'HGEDITOR SVN_EDITOR SVN_SSH P4EDITOR BORG_RSH BORG_PASSCOMMAND RESTIC_PASSWORD_COMMAND'
    )
      .split(' ')
      .map((name) => [name, { script: (value: string) => value }]),
  ),
}

/** Only what such an option destroys counts: what else it does is the business of the program that reads it. */
function judgeQuietly(script: Stream, name: string, state: State, run: Run, wiring: Wiring): void {
  const findings: Finding[] = []
  const reading = { commands: [], certain: true, more: false }
  try {
    run.walker.script(script, state, { ...within(run, name), findings, trace: newTrace(), reading }, wiring)
  } finally {
    run.findings.push(...findings.filter(({ verdict }) => verdict === 'destructive'))
  }
}

const HIDES: Danger = {
  category: 'hidden-exec',
  radius: 'high',
  reason: 'It makes a program run something else, by a variable that the program reads.',
}
const LEAVES_NO_RECORD: Danger = {
  category: 'system',
  radius: 'medium',
  reason: 'It erases the record of what was done.',
}
const INJECTS: Danger = {
  category: 'hidden-exec',
  radius: 'high',
  reason: 'It makes every program that starts load foreign code first.',
}
const DISARMS: Danger = {
  category: 'self-protection',
  radius: 'high',
  reason: 'It switches off the hooks that watch over the agent.',
}
const changes = (name: string): Danger => ({
  category: 'system',
  radius: 'unknown',
  reason: `It sets ${name}, which can change what other programs do.`,
})

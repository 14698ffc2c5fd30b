import { contentOf } from './redirects.ts'
import { report } from './report.ts'
import { type Field, isKnown } from './text.ts'
import type { Danger, Run, State, Wiring } from './types.ts'
import { walkText } from './walk.ts'

/** Names that change how output looks, and nothing else. */
const HARMLESS =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|TERM|DEBUG|VERBOSE|CI)$/
/** Whose value some program runs as a command line. */
const RUN_AS_COMMAND =
  /^(?:(?:GIT_|MAN|SYSTEMD_|PSQL_|AWS_|BAT_|DELTA_)?PAGER|(?:GIT_|SUDO_|KUBE_|CRONTAB_)?EDITOR|VISUAL|GIT_SEQUENCE_EDITOR|GIT_SSH(?:_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_ASKPASS|SSH_ASKPASS|SUDO_ASKPASS|GIT_PROXY_COMMAND|RSYNC_RSH|CVS_RSH|BROWSER|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|FCEDIT|MAILER|SHELL|MAKESHELL)$/
/** Whose value the shell expands again, substitutions included. */
const EXPANDED_AGAIN = /^(?:PS[0124]|PROMPT)$/
/** Whose value is a file the next shell reads first. */
const READ_AS_SCRIPT = /^(?:BASH_ENV|ENV|ZDOTDIR)$/
/** Code injected into every program started from here. */
const PRELOAD = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/
/** Lower-case names that are not ordinary: zsh ties some to PATH and its kind, programs read the proxies. */
const TIED = /^(?:path|fpath|cdpath|manpath|mailpath|module_path|prompt|psvar|.*_proxy)$/
const GUARD_SWITCH =
  /^(?!HUSKY)(?:HOOKLINE_.*|.*HOOKS?_(?:DISABLED?|OFF|SKIP|BYPASS)|(?:DISABLE|SKIP|BYPASS|NO)_(?:.*_)?(?:HOOKS?|GUARDS?))$/

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
  if (RUN_AS_COMMAND.test(name)) walkText(value, state, run, quiet)
  else if (EXPANDED_AGAIN.test(name) && /[$`]/.test(value.text))
    walkText({ ...value, text: `: "${value.text}"` }, state, run, quiet)
  else if (READ_AS_SCRIPT.test(name)) {
    const script = contentOf(value, state)
    if (isKnown(script.text)) walkText(script, state, run, quiet)
  } else if (PRELOAD.test(name) && value.text !== '' && !/^\/(?:usr\/)?lib/.test(value.text)) {
    report(run, 'destructive', INJECTS, shown)
  } else if (GUARD_SWITCH.test(name)) report(run, 'destructive', DISARMS, shown)
  const local = !exported && /^(?:[a-z_][a-z0-9_]*|[A-Z])$/.test(name) && !TIED.test(name)
  const ordinary = HARMLESS.test(name) || local
  if (ordinary) return
  run.reading.more = true
  report(run, 'unknown', changes(name), shown)
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

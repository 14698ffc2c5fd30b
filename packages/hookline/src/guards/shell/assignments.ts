import { injectingVariable } from '../../shell/index.ts'
import { report } from './findings.ts'
import { type Field, isKnown } from './text.ts'
import type { Danger, Run, State, Wiring } from './types.ts'
import { contentOf } from './written.ts'

/** Names that change how output looks, and nothing else. */
const HARMLESS =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|TERM|DEBUG|VERBOSE|CI)$/
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
  const does = injectingVariable(name)?.does
  if (does === 'command') run.walker.script(value, state, run, quiet)
  else if (does === 'expanded' && /[$`]/.test(value.text))
    run.walker.script({ ...value, text: `: "${value.text}"` }, state, run, quiet)
  else if (does === 'file') {
    const script = contentOf(value, state)
    if (isKnown(script.text)) run.walker.script(script, state, run, quiet)
  } else if (does === 'preload' && value.text !== '' && !/^\/(?:usr\/)?lib/.test(value.text)) {
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

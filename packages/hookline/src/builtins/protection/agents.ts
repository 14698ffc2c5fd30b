/** An agent that a line starts: its hooks are the user's only if its settings are. */
import { agentRunning, type BuiltinKit, type CallEffects } from '../../core/index.ts'
import { injectingVariable, programName } from '../../shell/index.ts'
import { absolute } from '../judge.ts'

/** Why an agent that is started here would run without the user's hooks; undefined: none is, or it has them. */
export async function agentWithoutHooks(
  effects: CallEffects,
  command: string,
  kit: BuiltinKit,
  cwd: string,
): Promise<string | undefined> {
  const started = effects.runs.filter((words) => agentRunning('', words) !== undefined)
  if (started.length === 0) return undefined
  // A prompt is no part of the line: "What does HOME=/tmp do?"
  const prompts = started.flatMap((words) => words.slice(1).filter((word) => /\s/.test(word)))
  const line = prompts.reduce((text, prompt) => text.replace(prompt, ''), command)
  if (leadsAway(line)) return 'It starts an agent with other settings than the user’s, so without their hooks.'
  if (setsCode(line)) return 'It starts an agent with foreign code in it, which can do without its hooks.'
  if (effects.runs.some(startsForOthers))
    return 'It starts an agent as another user or in a container, so without the user’s hooks.'
  for (const words of started) {
    const rest = words.slice(1)
    if (rest.some((word, at) => unhooks(word, rest[at + 1])))
      return 'It starts an agent without its hooks, or takes them out of it.'
    for (const file of settingsFiles(rest)) {
      const at = absolute(file, { cwd, home: kit.home })
      const isMade = effects.changes.some(({ paths }) => paths.includes(at))
      const text = isMade ? undefined : await kit.read(await kit.realpath(at), 1024 * 1024)
      if (text === undefined || switchesOff.test(text))
        return `It starts an agent with ${file}, which can switch its hooks off.`
    }
  }
  return undefined
}

/** Where an agent, or Hookline, looks for what is the user's. Their table: hosts/. */
const places =
  'HOME|XDG_(?:CONFIG|DATA|STATE)_HOME|CLAUDE_CONFIG_DIR|CODEX_HOME|GEMINI_CLI_HOME|OPENCODE_(?:CONFIG|PURE)\\w*|HOOKLINE_\\w+'
const setsPlace = new RegExp(`(?<![\\w$-])(?:${places})\\+?=`)
const unsetsPlace = new RegExp(
  `(?:\\bunset\\s(?:[^;&|\\n]*\\s)?|\\benv\\s(?:[^;&|\\n]*\\s)?(?:-u\\s*|--unset[=\\s]))(?:${places})\\b`,
)
const unsetsAll = /\benv\s+(?:-\w+\s+)*(?:-i|-|--ignore-environment|-\w*i\w*)\s/

/** Whatever of the line is set or unset, it is so when the agent starts. */
const leadsAway = (line: string): boolean => setsPlace.test(line) || unsetsPlace.test(line) || unsetsAll.test(line)

/** `NODE_OPTIONS=--require=./x.js claude`. */
const setsCode = (line: string): boolean =>
  [...line.matchAll(/(?<![\w$])([A-Za-z_]\w*)\+?=/g)].some(([, name = '']) => {
    const family = injectingVariable(name)
    return family !== undefined && !family.personal
  })

/** Programs that start others for another user, or where the user's home is not. */
const others =
  /^(?:sudo|doas|su|runuser|pkexec|run0|setpriv|chroot|docker|podman|nerdctl|lxc|incus|distrobox|toolbox|kubectl)$/

const startsForOthers = ([program = '', ...rest]: readonly string[]): boolean =>
  others.test(programName(program)) && rest.some((word) => agentRunning('', [word]) !== undefined)

function unhooks(word: string, next = ''): boolean {
  if (/^--(?:pure|bare|safe-mode|no-hooks|disable-hooks|no-extensions|no-plugins|setting-sources)\b/.test(word))
    return true
  if (/^--disable(?:=|$)/.test(word) && /hooks/.test(`${word} ${next}`)) return true
  if (switchesOff.test(word) || /features\.\w*hooks|hooks(?:\.enabled)?\s*=\s*(?:false|\{|\[)/.test(word)) return true
  return /^(?:plugins?|extensions?|hooks?)$/.test(word) && /^(?:uninstall|remove|rm|disable|delete|unlink)$/.test(next)
}

/** Escapes spell the same key in JSON. */
const switchesOff = /disableAllHooks|\\u00[46]/i

/** Files of settings that count above the user's own. What is no file stands in the line. */
const settingsFiles = (words: readonly string[]): string[] =>
  words
    .flatMap((word, at) =>
      word === '--settings' ? [words[at + 1] ?? ''] : [/^--settings=(.*)/s.exec(word)?.[1] ?? '{}'],
    )
    .filter((value) => !value.trim().startsWith('{'))

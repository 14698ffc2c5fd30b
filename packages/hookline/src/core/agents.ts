/**
 * How a process of an agent is recognised, and a command that it runs: by the variables that the agent sets for its
 * commands (measured with ten of them), and by what its own process is called. `CLAUDE_PROJECT_DIR` is no sign: five agents set it,
 * for hooks only. Editors are no sign either: a person works in their terminals.
 */
export interface AgentSigns {
  about: string
  /** Variables of what it runs. */
  variables?: readonly string[]
  /** What its program is called. */
  programs?: readonly string[]
  /** The package that its program is in, where an interpreter runs it. */
  packages?: readonly string[]
  /** Only with one of these as its first word is it an agent. */
  verbs?: readonly string[]
}

export const agentSigns: readonly AgentSigns[] = [
  {
    about: 'Claude Code',
    variables: ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID'],
    programs: ['claude'],
    packages: ['@anthropic-ai/claude-code'],
  },
  { about: 'GitHub Copilot CLI', variables: ['COPILOT_CLI'], programs: ['copilot'], packages: ['@github/copilot'] },
  {
    about: 'Gemini CLI',
    variables: ['GEMINI_CLI', 'GEMINI_SESSION_ID'],
    programs: ['gemini'],
    packages: ['@google/gemini-cli'],
  },
  {
    about: 'Qwen Code',
    variables: ['QWEN_CODE', 'QWEN_CODE_SESSION_ID'],
    programs: ['qwen'],
    packages: ['@qwen-code/qwen-code'],
  },
  { about: 'opencode', variables: ['OPENCODE'], programs: ['opencode'], packages: ['opencode-ai'] },
  {
    about: 'pi',
    variables: ['PI_CODING_AGENT'],
    programs: ['pi'],
    packages: ['@mariozechner/pi-coding-agent', 'pi-coding-agent'],
  },
  {
    about: 'Cline',
    variables: ['CLINE_CONNECTOR_CLI_LAUNCH', 'CLINE_ACTIVE'],
    programs: ['cline', 'cline-core'],
    packages: ['cline'],
  },
  { about: 'Grok CLI', variables: ['GROK_SESSION_ID'], programs: ['grok'], packages: ['@vibe-kit/grok-cli'] },
  {
    about: 'Codex CLI',
    variables: ['CODEX_SANDBOX', 'CODEX_THREAD_ID', 'CODEX_SANDBOX_NETWORK_DISABLED'],
    programs: ['codex'],
    packages: ['@openai/codex'],
  },
  { about: 'Cursor', variables: ['CURSOR_AGENT'], programs: ['cursor-agent'] },
  { about: 'goose', variables: ['GOOSE_TERMINAL'], programs: ['goose', 'goosed'] },
  { about: 'Crush', variables: ['CRUSH'], programs: ['crush'], packages: ['@charmland/crush'] },
  { about: 'docker-agent', programs: ['docker-agent', 'cagent'] },
  { about: 'aider', programs: ['aider'], packages: ['aider'] },
  { about: 'Amp', programs: ['amp'], packages: ['@sourcegraph/amp'] },
  { about: 'Factory Droid', programs: ['droid'] },
  { about: 'Auggie', programs: ['auggie'], packages: ['@augmentcode/auggie'] },
  { about: 'Kiro', programs: ['kiro-cli'] },
  { about: "Hookline's agent", programs: ['hookline'], verbs: ['run'] },
  { about: 'a hook', variables: ['HOOKLINE_CALL'] },
  { about: 'an agent', variables: ['AI_AGENT', 'AGENT'] },
]

/** The agent whose commands have these variables; undefined when nothing speaks for one. */
export function agentSetting(variable: (name: string) => string | undefined): string | undefined {
  const found = agentSigns.find(({ variables = [] }) => variables.some((name) => isSet(variable(name))))
  if (found?.about !== 'an agent') return found?.about
  const own = variable('AI_AGENT') ?? variable('AGENT')
  return own !== undefined && /^[\w.@ -]{2,40}$/.test(own) ? own : found.about
}

const isSet = (value: string | undefined): boolean => value !== undefined && !/^(?:0|false|no)?$/i.test(value)

/** The agent that a process with these words is; `name` is what it calls itself. */
export function agentRunning(name: string, words: readonly string[]): string | undefined {
  const [first = '', ...rest] = words
  const interpreted = interpreters.test(nameOf(first))
  const at = interpreted ? rest.findIndex((word) => !word.startsWith('-')) : -1
  const program = interpreted ? (rest[at] ?? '') : first
  const [verb] = interpreted ? rest.slice(at + 1) : rest
  const called = new Set([nameOf(program), nameOf(name)])
  const path = program.replaceAll('\\', '/')
  return agentSigns.find(({ programs = [], packages = [], verbs }) => {
    if (verbs && !verbs.includes(verb ?? '')) return false
    if (programs.some((each) => called.has(each))) return true
    return packages.some((each) => path.includes(`/node_modules/${each}/`) || program.replace(/(.)@.*$/, '$1') === each)
  })?.about
}

const interpreters = /^(?:node|nodejs|bun|deno|tsx|python[\d.]*|ruby|sh|bash|dash|zsh|uv|npx|env)$/
const nameOf = (word: string): string =>
  word
    .replace(/^.*[/\\]/, '')
    .replace(/\.(?:exe|cmd|[cm]?js|py)$/i, '')
    .replace(/^-/, '')

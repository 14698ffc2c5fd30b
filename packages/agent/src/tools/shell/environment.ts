import { providers } from 'hookline/internal'
import type { World } from '../toolset.ts'
import { expandAll } from '../variables.ts'

/** Keys of models and channels are the agent's own: no command needs them, and one that prints its environment would show them. */
const ownKeys =
  /^(?:TOGETHER_AI|COHERE|PERPLEXITY|AZURE_OPENAI|OLLAMA)_API_KEY$|^(?:TELEGRAM_BOT_TOKEN|HOOKLINE_\w*(?:KEY|TOKEN|SECRET|URL))$/
const modelKeys = new Set(
  Object.values(providers).flatMap(({ keyVariable = '', keyAliases = [] }) => [keyVariable, ...keyAliases]),
)

const isOwnKey = (name: string) => modelKeys.has(name) || ownKeys.test(name)

/** Nothing waits for a person: no pager, no editor, no question for a password. */
const unattended = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'false',
  EDITOR: 'false',
  VISUAL: 'false',
  DEBIAN_FRONTEND: 'noninteractive',
  TERM: 'dumb',
  AGENT: 'hookline',
}

/** What commands get: the user's environment without our keys, then what the toolset names itself. */
export function commandEnvironment(
  { env, secrets }: Pick<World, 'env' | 'secrets'>,
  named: Readonly<Record<string, unknown>> = {},
): Record<string, string> {
  const inherited = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !isOwnKey(entry[0]) && !secrets.includes(entry[0]),
  )
  return { ...Object.fromEntries(inherited), ...unattended, ...expandAll(named, env) }
}

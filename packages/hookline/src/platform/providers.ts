/** Which providers of models there are: data only. What talks to them is in @hookline/agent. */
export interface Provider {
  /** The variable that holds the key; absent: none is needed. */
  keyVariable?: string
  /** Other names under which people keep the same key. */
  keyAliases?: readonly string[]
  /** Where an OpenAI-compatible server is found. Absent for the vendors' own protocols. */
  baseURL?: string
  /** Whether it can answer in JSON of a given shape. */
  structured?: boolean
  /** A model to begin with, for those who have a key and have named none. */
  usual?: string
  /** Its name also stands for servers of others, which offer chat completions. */
  elsewhere?: 'chat'
  /** Its options for long conversations. */
  conversing?: Readonly<Record<string, unknown>>
  /** Its options for a budget of thinking, in tokens. */
  thinking?(tokens: number): Readonly<Record<string, unknown>>
  /** It has a protocol of its own. Absent: OpenAI's chat completions. */
  protocol?: 'anthropic' | 'openai' | 'google'
}

/** One line per provider. */
export const providers: Record<string, Provider> = {
  anthropic: {
    keyVariable: 'ANTHROPIC_API_KEY',
    usual: 'claude-sonnet-5-5',
    conversing: { cacheControl: { type: 'ephemeral' } },
    thinking: (budgetTokens) => ({ thinking: { type: 'enabled', budgetTokens } }),
    protocol: 'anthropic',
  },
  openai: {
    keyVariable: 'OPENAI_API_KEY',
    structured: true,
    usual: 'gpt-6.1-terra',
    elsewhere: 'chat',
    conversing: { store: false },
    protocol: 'openai',
  },
  google: {
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    keyAliases: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
    structured: true,
    usual: 'gemini-3.8-flash',
    thinking: (thinkingBudget) => ({ thinkingConfig: { thinkingBudget, includeThoughts: true } }),
    protocol: 'google',
  },
  openrouter: { keyVariable: 'OPENROUTER_API_KEY', baseURL: 'https://openrouter.ai/api/v1' },
  groq: { keyVariable: 'GROQ_API_KEY', baseURL: 'https://api.groq.com/openai/v1' },
  mistral: { keyVariable: 'MISTRAL_API_KEY', baseURL: 'https://api.mistral.ai/v1' },
  xai: { keyVariable: 'XAI_API_KEY', baseURL: 'https://api.x.ai/v1' },
  deepseek: { keyVariable: 'DEEPSEEK_API_KEY', baseURL: 'https://api.deepseek.com/v1' },
  together: { keyVariable: 'TOGETHER_API_KEY', baseURL: 'https://api.together.xyz/v1' },
  fireworks: { keyVariable: 'FIREWORKS_API_KEY', baseURL: 'https://api.fireworks.ai/inference/v1' },
  cerebras: { keyVariable: 'CEREBRAS_API_KEY', baseURL: 'https://api.cerebras.ai/v1' },
  atlascloud: { keyVariable: 'ATLASCLOUD_API_KEY', baseURL: 'https://api.atlascloud.ai/v1' },
  baseten: { keyVariable: 'BASETEN_API_KEY', baseURL: 'https://inference.baseten.co/v1' },
  minimax: { keyVariable: 'MINIMAX_API_KEY', baseURL: 'https://api.minimax.io/v1' },
  nebius: { keyVariable: 'NEBIUS_API_KEY', baseURL: 'https://api.studio.nebius.com/v1' },
  ovhcloud: {
    keyVariable: 'OVH_AI_ENDPOINTS_ACCESS_TOKEN',
    baseURL: 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1',
  },
  huggingface: { keyVariable: 'HF_TOKEN', baseURL: 'https://router.huggingface.co/v1' },
  moonshot: { keyVariable: 'MOONSHOT_API_KEY', baseURL: 'https://api.moonshot.ai/v1' },
  nvidia: { keyVariable: 'NVIDIA_API_KEY', baseURL: 'https://integrate.api.nvidia.com/v1' },
  requesty: { keyVariable: 'REQUESTY_API_KEY', baseURL: 'https://router.requesty.ai/v1' },
  vercel: { keyVariable: 'AI_GATEWAY_API_KEY', baseURL: 'https://ai-gateway.vercel.sh/v1' },
  'opencode-zen': { keyVariable: 'OPENCODE_API_KEY', baseURL: 'https://opencode.ai/zen/v1' },
  'opencode-go': { keyVariable: 'OPENCODE_API_KEY', baseURL: 'https://opencode.ai/zen/go/v1' },
  orcarouter: { keyVariable: 'ORCAROUTER_API_KEY', baseURL: 'https://api.orcarouter.ai/v1' },
  ollama: { baseURL: 'http://127.0.0.1:11434/v1' },
  lmstudio: { baseURL: 'http://127.0.0.1:1234/v1' },
  vllm: { baseURL: 'http://127.0.0.1:8000/v1' },
  dmr: { baseURL: 'http://127.0.0.1:12434/engines/v1' },
  azure: { keyVariable: 'AZURE_API_KEY' },
  'openai-compatible': {},
}

/** The provider of that name; names from outside must not find what every object has. */
export const findProvider = (name: string): Provider | undefined =>
  Object.hasOwn(providers, name) ? providers[name] : undefined

/** Whether only a base URL says where it is. */
export const needsServer = ({ baseURL, protocol }: Provider): boolean => baseURL === undefined && protocol === undefined

/** `provider/model`; a model's name may have slashes of its own. */
export function splitModelName(name: string): { provider: string; model: string } {
  const [provider = '', model = ''] = name.split(/\/(.*)/s)
  return { provider, model }
}

/** Under which name the key of a provider is set, and what it is. */
export function keyOf(
  { keyVariable, keyAliases = [] }: Provider,
  env: Readonly<Record<string, string | undefined>>,
): { variable: string | undefined; key: string | undefined } {
  const variable = [keyVariable, ...keyAliases].find((name) => name !== undefined && env[name]) ?? keyVariable
  return { variable, key: variable === undefined ? undefined : env[variable] || undefined }
}

import type { LanguageModel } from 'ai'

export interface Endpoint {
  baseURL?: string
  apiKey?: string
  fetch: typeof globalThis.fetch
}

interface Provider {
  /** The variable that holds the key; absent: none is needed. */
  keyVariable?: string
  /** Where an OpenAI-compatible server is found. Absent for the vendors' own protocols. */
  baseURL?: string
  /** Whether it can be asked for JSON of a given shape. */
  structured?: boolean
  /** Loads the vendor's package on first use. Absent: it speaks OpenAI's chat completions. */
  open?(model: string, endpoint: Endpoint): Promise<LanguageModel>
}

/** One line per provider. */
export const providers: Record<string, Provider> = {
  openai: { keyVariable: 'OPENAI_API_KEY', structured: true, open: openai },
  anthropic: { keyVariable: 'ANTHROPIC_API_KEY', open: anthropic },
  google: { keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY', structured: true, open: google },
  openrouter: { keyVariable: 'OPENROUTER_API_KEY', baseURL: 'https://openrouter.ai/api/v1' },
  groq: { keyVariable: 'GROQ_API_KEY', baseURL: 'https://api.groq.com/openai/v1' },
  mistral: { keyVariable: 'MISTRAL_API_KEY', baseURL: 'https://api.mistral.ai/v1' },
  xai: { keyVariable: 'XAI_API_KEY', baseURL: 'https://api.x.ai/v1' },
  deepseek: { keyVariable: 'DEEPSEEK_API_KEY', baseURL: 'https://api.deepseek.com/v1' },
  together: { keyVariable: 'TOGETHER_API_KEY', baseURL: 'https://api.together.xyz/v1' },
  fireworks: { keyVariable: 'FIREWORKS_API_KEY', baseURL: 'https://api.fireworks.ai/inference/v1' },
  cerebras: { keyVariable: 'CEREBRAS_API_KEY', baseURL: 'https://api.cerebras.ai/v1' },
  ollama: { baseURL: 'http://127.0.0.1:11434/v1' },
  lmstudio: { baseURL: 'http://127.0.0.1:1234/v1' },
  vllm: { baseURL: 'http://127.0.0.1:8000/v1' },
  dmr: { baseURL: 'http://127.0.0.1:12434/engines/v1' },
  'openai-compatible': {},
}

/** With a base URL of one's own, whatever the name, the server there is taken to speak OpenAI's chat completions. */
export async function openModel(provider: string, model: string, endpoint: Endpoint): Promise<LanguageModel> {
  const open = endpoint.baseURL === undefined ? providers[provider]?.open : undefined
  if (open) return open(model, endpoint)
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const baseURL = endpoint.baseURL ?? providers[provider]?.baseURL ?? ''
  return createOpenAICompatible({ ...endpoint, name: provider, baseURL })(model)
}

async function openai(model: string, endpoint: Endpoint): Promise<LanguageModel> {
  return (await import('@ai-sdk/openai')).createOpenAI(endpoint)(model)
}

async function anthropic(model: string, endpoint: Endpoint): Promise<LanguageModel> {
  return (await import('@ai-sdk/anthropic')).createAnthropic(endpoint)(model)
}

async function google(model: string, endpoint: Endpoint): Promise<LanguageModel> {
  return (await import('@ai-sdk/google')).createGoogleGenerativeAI(endpoint)(model)
}

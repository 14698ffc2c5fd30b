import type { LanguageModel } from 'ai'
import { findProvider, type Provider } from 'hookline/internal'

export interface Endpoint {
  baseURL?: string
  apiKey?: string
  headers?: Record<string, string>
  /**
   * The API of a server at a custom base URL: OpenAI's chat completions, whatever the provider is called, or (`own`)
   * that of the provider itself.
   */
  api?: 'chat' | 'own'
  fetch: typeof globalThis.fetch
}

export async function openModel(provider: string, model: string, endpoint: Endpoint): Promise<LanguageModel> {
  const row = findProvider(provider)
  const protocol = endpoint.baseURL === undefined || endpoint.api === 'own' ? row?.protocol : undefined
  const { api: _, ...settings } = endpoint
  if (protocol) return protocols[protocol](model, settings)
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const baseURL = endpoint.baseURL ?? row?.baseURL ?? ''
  // Without it, the schema of an answer would be left out: a server that knows none says so.
  const knows = { includeUsage: true, supportsStructuredOutputs: true }
  return createOpenAICompatible({ ...knows, ...settings, name: provider, baseURL })(model)
}

/** One line per protocol; the vendor's package is loaded on first use. */
const protocols: Record<
  NonNullable<Provider['protocol']>,
  (model: string, endpoint: Endpoint) => Promise<LanguageModel>
> = {
  openai,
  anthropic,
  google,
}

async function openai(model: string, endpoint: Endpoint): Promise<LanguageModel> {
  return (await import('@ai-sdk/openai')).createOpenAI(endpoint)(model)
}

async function anthropic(model: string, endpoint: Endpoint): Promise<LanguageModel> {
  return (await import('@ai-sdk/anthropic')).createAnthropic(versioned(endpoint, 'v1'))(model)
}

async function google(model: string, endpoint: Endpoint): Promise<LanguageModel> {
  return (await import('@ai-sdk/google')).createGoogleGenerativeAI(versioned(endpoint, 'v1beta'))(model)
}

/** Other programs write the base URL of these two without the version, and their packages want it. */
function versioned(endpoint: Endpoint, version: string): Endpoint {
  const { baseURL } = endpoint
  if (baseURL === undefined || /\/v\d\w*\/?$/.test(baseURL)) return endpoint
  return { ...endpoint, baseURL: `${baseURL.replace(/\/+$/, '')}/${version}` }
}

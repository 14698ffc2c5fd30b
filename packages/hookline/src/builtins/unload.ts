import { defineBuiltin, isRecord, stringifyJson } from '../core/index.ts'
import { noArgs } from './parts.ts'

export const unload = defineBuiltin({
  name: 'unload',
  doc: 'When another agent takes over, tells Docker Model Runner to free the models of the one before. Other providers are left alone; errors do not matter.',
  events: ['on_agent_switch'],
  args: noArgs,
  async answer({ payload, synthetic }, _args, kit) {
    const models = Array.isArray(payload.from_agent_models) ? payload.from_agent_models.filter(isRecord) : []
    const requests = models.flatMap((model) => unloadRequest(model) ?? [])
    if (!synthetic)
      await Promise.all(requests.map((request) => kit.request({ ...request, allowLocal: true }).catch(() => undefined)))
    return undefined
  },
  does: ['sends'],
  examples: [
    {
      title: 'a model in the cloud has nothing to free',
      event: 'on_agent_switch',
      payload: { from_agent: 'a', to_agent: 'b', from_agent_models: [{ provider: 'openai', model: 'gpt-5-mini' }] },
      expect: undefined,
    },
  ],
})

/** `unload_api` is a URL of its own or a path on the server; else the server's own place for it. As docker-agent. */
export function unloadRequest(model: Readonly<Record<string, unknown>>): { url: string; body: string } | undefined {
  const { provider, model: id, base_url: base, unload_api: api } = model
  if (provider !== 'dmr' || typeof id !== 'string' || typeof base !== 'string' || !URL.canParse(base)) return undefined
  const url =
    typeof api === 'string' && api !== ''
      ? new URL(api, base).href
      : `${base.replace(/\/+$/, '').replace(/\/v1$/, '')}/_unload`
  return { url, body: stringifyJson({ model: id }) }
}

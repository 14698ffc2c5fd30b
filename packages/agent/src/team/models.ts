import {
  didYouMean,
  findProvider,
  HooklineError,
  isRecord,
  needsServer,
  note,
  providers,
  splitModelName,
} from 'hookline/internal'
import { type Environment, type HarnessSpec, type ModelSpec, milliseconds } from '../core/index.ts'
import { missingKey, rehearsalProvider, resolveModel } from '../models/index.ts'
import { type Path, type Reading, readMapping, unknownName, wrong } from './reading.ts'
import { type ModelEntry, modelShape, type ProviderEntry, providerShape, unsupported } from './shape.ts'

export interface Models {
  /** By name, with those that agents name in place (`my-provider/some-model`). */
  readonly specs: Record<string, ModelSpec>
  /** The name, if it leads to a model; if not, records the problem. */
  use(name: string, at: Path): string[]
  /** A name for what cannot answer here: whoever calls it learns why. */
  without(name: string): string
  /** The coding agent that answers for this agent. */
  harness(agent: string, spec: HarnessSpec): string
}

/** The models of the file, each with the defaults of its provider. */
export function readModels(
  models: Record<string, unknown>,
  given: Record<string, unknown>,
  env: Environment,
  reading: Reading,
): Models {
  const own = readProviders(given, reading)
  const specs: Record<string, ModelSpec> = {}
  const routers: { name: string; routing: NonNullable<ModelEntry['routing']>; at: Path }[] = []
  const choices: { name: string; from: readonly string[]; at: Path }[] = []
  for (const [name, entry] of Object.entries(models)) {
    const at = ['models', name]
    const written = typeof entry === 'string' && entry.includes('/') ? splitModelName(entry) : entry
    const read = readMapping(reading, written, at, modelShape, unsupported.model)
    if (!read) continue
    if (read.first_available) choices.push({ name, from: read.first_available, at: [...at, 'first_available'] })
    else {
      const spec = specOf(read, own, at, reading)
      if (spec) specs[name] = spec
      if (spec) noteKeyElsewhere(spec, at, reading)
      if (spec && read.routing) routers.push({ name, routing: read.routing, at: [...at, 'routing'] })
    }
  }
  const without = (name: string): string => {
    specs[name] ??= splitModelName(name)
    return name
  }
  const harness = (agent: string, spec: HarnessSpec): string => {
    const name = `harness/${agent}`
    specs[name] = { provider: 'harness', model: spec.type, harness: spec }
    return name
  }
  const use = (name: string, at: Path): string[] => {
    const { provider, model } = splitModelName(name)
    if (!Object.hasOwn(specs, name) && model !== '' && Object.hasOwn(own, provider))
      specs[name] = withProvider({ provider, model }, own[provider]!)
    try {
      resolveModel(name, { team: { models: specs }, env })
      return [name]
    } catch (error) {
      if (!(error instanceof HooklineError)) throw error
      const known = [...Object.keys(models), ...Object.keys(own).map((each) => `${each}/…`), rehearsalProvider]
      if (Object.hasOwn(models, name))
        wrong(reading, at, `names the model \`${name}\`, which cannot be used`, 'Name another.')
      else if (model === '') unknownName(reading, at, 'the model', name, known)
      else if (near(provider, own) !== '')
        wrong(reading, at, `names an unknown provider \`${provider}\`.${near(provider, own)}`, error.remedy)
      else {
        noteUnsupported(provider, own, at, reading)
        return [without(name)]
      }
      return []
    }
  }
  for (const { name, from, at } of choices) {
    const usable = from.flatMap((each, index) => use(each, [...at, index]))
    const found = usable.find((each) => !missingKey(each, { team: { models: specs }, env })) ?? usable[0]
    if (found !== undefined) specs[name] = resolveModel(found, { team: { models: specs }, env })
  }
  for (const { name, routing, at } of routers) {
    const routes = routing.flatMap(({ model, examples }, index) =>
      use(model, [...at, index, 'model']).map((each) => ({ model: each, examples })),
    )
    specs[name] = { ...specs[name]!, routes }
  }
  for (const [name, { compactionModel }] of Object.entries(specs))
    if (compactionModel !== undefined) use(compactionModel, ['models', name, 'compaction_model'])
  return { specs, use, without, harness }
}

type OwnProviders = Record<string, ProviderEntry>

function readProviders(given: Record<string, unknown>, reading: Reading): OwnProviders {
  const read = Object.entries(given).flatMap(([name, entry]) => {
    const at = ['providers', name]
    const provider = readMapping(reading, entry, at, providerShape, unsupported.model)
    const kind = provider?.provider
    if (kind !== undefined && !findProvider(kind)) {
      if (near(kind, {}) === '') noteUnsupported(kind, {}, [...at, 'provider'], reading)
      else unknownName(reading, [...at, 'provider'], 'the provider', kind, Object.keys(providers))
    }
    return provider ? [[name, provider] as const] : []
  })
  return Object.fromEntries(read)
}

function specOf(given: ModelEntry, own: OwnProviders, at: Path, reading: Reading): ModelSpec | undefined {
  const { type, ...rest } = given
  const entry: ModelEntry = rest.provider === undefined && type !== undefined ? { ...rest, provider: type } : rest
  const { provider, model } = entry
  if (provider === undefined) return wrong(reading, at, 'has no `provider`', 'Write `provider:` and `model:`.')
  if (model === undefined && provider !== rehearsalProvider)
    return wrong(reading, at, 'has no `model`', 'Write `provider:` and `model:`.')
  if (Object.hasOwn(own, provider)) return withProvider(entry, own[provider]!)
  if (provider === rehearsalProvider) return plainSpec(entry)
  const row = findProvider(provider)
  if (row && needsServer(row) && entry.base_url === undefined)
    return wrong(reading, at, 'has no `base_url`, and nothing else says where it is', 'Name the server.')
  if (row) return plainSpec(entry)
  const place = [...at, given.provider === undefined ? 'type' : 'provider']
  if (near(provider, own) !== '') {
    unknownName(reading, place, 'the provider', provider, [...Object.keys(own), ...Object.keys(providers)])
    return undefined
  }
  // Whoever names a server and nothing that is known of it means one with chat completions.
  if (entry.base_url === undefined) noteUnsupported(provider, own, place, reading)
  return plainSpec(entry)
}

/** Its models are kept: they fail when they are called, others take over, and `--model` can name another. */
function noteUnsupported(provider: string, own: OwnProviders, at: Path, reading: Reading): void {
  const known = [...Object.keys(own), ...Object.keys(providers)].join(', ')
  reading.notes.push(note('agent-provider-unsupported', { provider, known }, { where: reading.locate(at) }))
}

/** Notes where a file sends a key: its author may be a stranger. */
function noteKeyElsewhere({ provider, baseURL, keyVariable }: ModelSpec, at: Path, reading: Reading): void {
  const variable = keyVariable === undefined ? findProvider(provider)?.keyVariable : undefined
  if (baseURL === undefined || variable === undefined) return
  reading.notes.push(note('agent-key-elsewhere', { variable, url: baseURL }, { where: reading.locate(at) }))
}

/** Settings of the model win over those of its provider. */
function withProvider(
  entry: ModelEntry,
  { provider = 'openai', api_type, unload_api, headers, ...defaults }: ProviderEntry,
) {
  const own = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined))
  const options = { ...(headers ? { http_headers: headers } : {}), ...defaults.provider_opts, ...entry.provider_opts }
  const spec = plainSpec({ ...defaults, ...own, provider_opts: options, provider } as ModelEntry)
  return {
    ...spec,
    ...(api_type === 'openai_responses' ? { responses: true as const } : {}),
    ...(spec.unloadApi === undefined && unload_api !== undefined ? { unloadApi: unload_api } : {}),
  }
}

function plainSpec(entry: ModelEntry): ModelSpec {
  const { top_k, seed, context_size, unload_api, http_headers, extra_body, timeout, ...others } =
    entry.provider_opts ?? {}
  const options = { ...others, ...(isRecord(extra_body) ? extra_body : {}) }
  const { cost } = entry
  const spec = {
    provider: entry.provider ?? 'openai',
    model: entry.model ?? '',
    baseURL: entry.base_url,
    keyVariable: entry.token_key,
    temperature: entry.temperature,
    topP: entry.top_p,
    topK: top_k,
    frequencyPenalty: entry.frequency_penalty,
    presencePenalty: entry.presence_penalty,
    seed,
    maxOutputTokens: entry.max_tokens || undefined,
    thinking: thinkingOf(entry.thinking_budget),
    contextLimit: context_size,
    timeoutMs:
      typeof timeout === 'string' ? milliseconds(timeout) : typeof timeout === 'number' ? timeout * 1_000 : undefined,
    price: cost && {
      ...{ input: cost.input ?? 0, output: cost.output ?? 0 },
      ...(cost.cache_read === undefined ? {} : { cacheRead: cost.cache_read }),
      ...(cost.cache_write === undefined ? {} : { cacheWrite: cost.cache_write }),
    },
    unloadApi: unload_api,
    compactAt: entry.compaction_threshold,
    compactionModel: entry.compaction_model,
    headers: entry.headers ? { ...(isRecord(http_headers) ? http_headers : {}), ...entry.headers } : http_headers,
    options: Object.keys(options).length > 0 ? options : undefined,
  }
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)) as unknown as ModelSpec
}

/** Tokens as a number, whoever wrote them as text; else the effort. */
function thinkingOf(budget: ModelEntry['thinking_budget']): string | number | undefined {
  const given = isRecord(budget) ? (budget.effort ?? budget.tokens) : budget
  return typeof given === 'string' && /^-?\d+$/.test(given) ? Number(given) : given
}

const near = (provider: string, own: OwnProviders) =>
  didYouMean(provider, [...Object.keys(own), ...Object.keys(providers)])

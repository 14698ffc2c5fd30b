import type { LanguageModel, TextStreamPart, ToolSet } from 'ai'
import { findProvider, isRecord, keyOf, needsServer, type Provider } from 'hookline/internal'
import {
  type Environment,
  fillVariables,
  type Model,
  ModelError,
  type ModelPart,
  type ModelRequest,
  type ModelSpec,
  type Usage,
} from '../core/index.ts'
import { type FailedCall, modelError } from './errors.ts'
import { keyMissing, unsupported } from './names.ts'
import { type Endpoint, openModel } from './open.ts'
import { costOf, knownModel } from './prices.ts'
import { makePrompt, type Signed } from './prompt.ts'

/** A model of a provider of the AI SDK. Packages are loaded and keys are read with the first call. */
export function providerModel(spec: ModelSpec, env: Environment): Model {
  const provider = findProvider(spec.provider) ?? {}
  const id = `${spec.provider}/${spec.model}`
  const known = knownModel(spec.provider, spec.model)
  const baseURL = spec.baseURL === undefined ? provider.baseURL : fillVariables(spec.baseURL, env)
  let opened: Promise<LanguageModel> | undefined
  return {
    id,
    contextLimit: spec.contextLimit ?? known?.context ?? 0,
    endpoint: {
      ...{ provider: spec.provider, model: spec.model },
      ...(baseURL === undefined ? {} : { base_url: baseURL }),
      ...(spec.unloadApi === undefined ? {} : { unload_api: spec.unloadApi }),
    },
    async *stream(request, signal) {
      const access = accessTo(spec, provider, env)
      const call: FailedCall = { id, keyVariable: access.variable, secrets: access.secrets }
      const watch = watchSilence(spec.timeoutMs ?? usualTimeoutMs)
      try {
        opened ??= openModel(spec.provider, spec.model, access.endpoint)
        const parts = await ask(await opened, spec, provider, request, AbortSignal.any([signal, watch.signal]))
        for await (const part of readParts(watch.over(parts), spec.provider, id)) yield priced(part, spec, known)
      } catch (error) {
        // After an abort the stream ends with an error that adds nothing.
        if (signal.aborted) return
        if (watch.signal.aborted)
          throw new ModelError('unavailable', `${id} did not answer for ${watch.seconds} s.`, undefined, true)
        throw modelError(error, call)
      } finally {
        watch.end()
      }
    },
  }
}

/** Longer than a model thinks without a sign of life, and shorter than a person waits. */
const usualTimeoutMs = 180_000

/** Aborts when nothing has come for so long. */
function watchSilence(ms: number) {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), ms)
  return {
    signal: silence.signal,
    seconds: ms / 1_000,
    async *over<T>(parts: AsyncIterable<T>): AsyncGenerator<T> {
      for await (const part of parts) {
        clearTimeout(timer)
        yield part
        timer = setTimeout(() => silence.abort(), ms)
      }
      silence.signal.throwIfAborted()
    },
    end: () => clearTimeout(timer),
  }
}

interface Access {
  endpoint: Endpoint
  variable: string | undefined
  secrets: readonly string[]
}

function accessTo(spec: ModelSpec, provider: Provider, env: Environment): Access {
  const usual = keyOf(provider, env)
  const variable = spec.keyVariable ?? usual.variable
  const key = spec.keyVariable === undefined ? usual.key : env[spec.keyVariable]
  // A custom server may need no key; the vendor's does.
  if (!key && variable !== undefined && (spec.keyVariable !== undefined || spec.baseURL === undefined))
    throw new ModelError('auth', keyMissing(spec.provider, variable).message)
  if (spec.baseURL === undefined && !findProvider(spec.provider))
    throw new ModelError('invalid', unsupported(spec.provider).message)
  if (spec.baseURL === undefined && needsServer(provider))
    throw new ModelError('invalid', `${spec.provider}/${spec.model}: nothing says where it is. Name its \`base_url\`.`)
  const headers = spec.headers && fillHeaders(spec.headers, env)
  return {
    endpoint: {
      fetch: withoutRedirects,
      ...(spec.baseURL === undefined ? {} : { baseURL: fillVariables(spec.baseURL, env) }),
      // The packages look for a key of their own accord when there is none.
      ...(key ? { apiKey: key } : provider.protocol ? { apiKey: 'none' } : {}),
      ...(headers ? { headers } : {}),
      api: apiOf(spec, provider),
    },
    variable,
    secrets: [key ?? '', ...Object.values(headers ?? {})].filter((secret) => secret !== ''),
  }
}

/** Which API to use at a custom base URL. */
const apiOf = (spec: ModelSpec, provider: Provider) => (spec.responses ? 'own' : (provider.elsewhere ?? 'own'))

/** A redirect would carry the key and the conversation elsewhere. */
const withoutRedirects: typeof globalThis.fetch = (input, init) => fetch(input, { ...init, redirect: 'error' })

const fillHeaders = (headers: Readonly<Record<string, string>>, env: Environment) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fillVariables(value, env)]))

/** One step, and never a tool run by the library: the loop does that, and asks before it does. */
async function ask(
  model: LanguageModel,
  spec: ModelSpec,
  provider: Provider,
  request: ModelRequest,
  abortSignal: AbortSignal,
): Promise<AsyncIterable<TextStreamPart<ToolSet>>> {
  const { streamText, jsonSchema, tool, Output } = await import('ai')
  // The library prints warnings to the terminal unless this is set.
  globalThis.AI_SDK_LOG_WARNINGS ??= false
  const { instructions, messages } = makePrompt(request.system, request.messages, spec.provider)
  const tools = Object.fromEntries(
    request.tools.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  )
  const { stream } = streamText({
    model,
    messages,
    ...(instructions === '' ? {} : { instructions }),
    ...(request.tools.length > 0 ? { tools: tools as ToolSet } : {}),
    ...(request.output
      ? { output: Output.object({ name: request.output.name, schema: jsonSchema(request.output.schema) }) }
      : {}),
    ...settingsOf(spec, provider),
    maxRetries: 0,
    abortSignal,
    // Errors come as parts; without this they are printed as well.
    onError: () => {},
  })
  return stream
}

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

function settingsOf(spec: ModelSpec, provider: Provider) {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed, maxOutputTokens, thinking } = spec
  const isVendor = spec.baseURL === undefined || apiOf(spec, provider) === 'own'
  const budget = typeof thinking === 'number' && thinking !== 0 ? provider.thinking?.(thinking) : undefined
  const effort = thinking === 0 ? 'none' : String(thinking).replace(/^adaptive\/?/, '')
  const reasoning = efforts.find((known) => known === effort)
  const options = isVendor ? { ...provider.conversing, ...budget, ...camelCased(spec.options ?? {}) } : spec.options
  return {
    ...present({ temperature, topP, topK, frequencyPenalty, presencePenalty, seed, maxOutputTokens, reasoning }),
    ...(options && Object.keys(options).length > 0 ? { providerOptions: { [spec.provider]: options } as never } : {}),
  }
}

/** Agent files write `service_tier`, and the vendors' packages `serviceTier`. */
const camelCased = (options: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name.replace(/_(\w)/g, (_, next) => next.toUpperCase()), value]),
  )

const present = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>

async function* readParts(
  parts: AsyncIterable<TextStreamPart<ToolSet>>,
  provider: string,
  id: string,
): AsyncGenerator<ModelPart> {
  const thoughts = new Map<string, Thought>()
  for await (const part of parts) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') yield { type: 'text', text: part.text }
    else if (part.type === 'reasoning-start' || part.type === 'reasoning-delta' || part.type === 'reasoning-end') {
      const text = part.type === 'reasoning-delta' ? part.text : ''
      think(thoughts, part.id, text, part.providerMetadata)
      if (text !== '') yield { type: 'reasoning', text }
    } else if (part.type === 'tool-call') {
      const reasoning = [...thoughts.values()].filter(({ metadata }) => Object.keys(metadata).length > 0)
      yield toolCall(part, reasoning.length > 0 ? { reasoning } : {}, provider)
      thoughts.clear()
    } else if (part.type === 'finish-step') yield finish(part, id)
  }
}

type Thought = NonNullable<Signed['reasoning']>[number]

/** The signature of a thought comes with any of its parts. */
function think(thoughts: Map<string, Thought>, id: string, text: string, metadata: Thought['metadata'] | undefined) {
  const thought = thoughts.get(id) ?? { text: '', metadata: {} }
  thoughts.set(id, { text: thought.text + text, metadata: { ...thought.metadata, ...metadata } })
}

type CallPart = Extract<TextStreamPart<ToolSet>, { type: 'tool-call' }>

/** A call of a tool that is not there is the loop's to refuse; arguments that are no object never reach a tool. */
function toolCall(part: CallPart, signed: Signed, provider: string): ModelPart {
  const { toolCallId: id, toolName: name, input, providerMetadata } = part
  const all: Signed = { ...signed, ...(providerMetadata ? { call: providerMetadata } : {}) }
  return {
    type: 'tool_call',
    id,
    name,
    ...(isRecord(input)
      ? { input }
      : { input: {}, invalid: `The arguments are no JSON object: ${String(input).slice(0, 200)}` }),
    ...(Object.keys(all).length > 0 ? { provider: { [provider]: all } } : {}),
  }
}

type FinishPart = Extract<TextStreamPart<ToolSet>, { type: 'finish-step' }>

function finish({ finishReason, rawFinishReason, usage }: FinishPart, id: string): ModelPart {
  if (finishReason === 'content-filter') throw new ModelError('refused', `${id}: the provider held back the answer.`)
  // A provider sends a finish reason; without one, the connection broke off.
  if (finishReason === 'interrupted' || (finishReason === 'error' && rawFinishReason === undefined))
    throw new ModelError('unavailable', `${id}: the answer broke off before its end.`)
  const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails } = usage
  if (inputTokens === undefined && outputTokens === undefined) return { type: 'finish' }
  const cached = inputTokenDetails.cacheReadTokens
  const written = inputTokenDetails.cacheWriteTokens
  const fresh = inputTokens === undefined ? undefined : Math.max(0, inputTokens - (cached ?? 0) - (written ?? 0))
  const counts: Usage = present({
    input_tokens: inputTokenDetails.noCacheTokens ?? fresh,
    output_tokens: outputTokens,
    cached_input_tokens: cached || undefined,
    cached_write_tokens: written || undefined,
    reasoning_tokens: outputTokenDetails.reasoningTokens || undefined,
  }) as Usage
  return { type: 'finish', usage: counts }
}

function priced(part: ModelPart, spec: ModelSpec, known: ReturnType<typeof knownModel>): ModelPart {
  if (part.type !== 'finish' || !part.usage) return part
  // The table has the vendors' prices; another server has its own.
  const price = spec.price ?? (spec.baseURL === undefined ? known : undefined)
  const cost = price && costOf(part.usage, price)
  return cost === undefined ? part : { ...part, cost }
}

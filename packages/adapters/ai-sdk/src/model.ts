import type { Conversation } from 'hookline/adapter'
import type { Answer, CallOptions, Model, PromptMessage, StreamPart, TextPart } from './sdk.ts'

type Run = Conversation<PromptMessage, Answer>

/** A model whose calls go through the hooks of a run: prompts, messages, answers, and whether the agent may stop. */
export function guardModel(model: Model, run: () => Run): Model {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) =>
      run().model(callOf(model, options), async (prompt, abortSignal) =>
        model.doGenerate({ ...options, prompt, abortSignal }),
      ),
    doStream: (options) => streamed(model, run(), options),
  }
}

function callOf({ provider, modelId }: Model, { prompt, abortSignal: signal }: CallOptions) {
  const system = prompt.flatMap(({ role, content }) =>
    role === 'system' && typeof content === 'string' ? [content] : [],
  )
  return { messages: prompt, system: system.join('\n\n'), model_id: `${provider}/${modelId}`, signal }
}

/**
 * What the model says is passed on as it comes, unless a hook may rewrite the answer: then it is held back until it is
 * whole. The promise settles with the first call of the model, so that the SDK may try again when that fails.
 */
async function streamed(model: Model, run: Run, options: CallOptions) {
  const stopped = new AbortController()
  const signal = options.abortSignal ? AbortSignal.any([options.abortSignal, stopped.signal]) : stopped.signal
  const isHeld = run.holdsAnswers
  const collected = new Map<Answer, StreamPart[]>()
  let controller!: ReadableStreamDefaultController<StreamPart>
  const stream = new ReadableStream<StreamPart>({
    start(own) {
      controller = own
    },
    cancel: () => stopped.abort(),
  })
  let open!: (head: Record<string, unknown>) => void
  let fail!: (error: unknown) => void
  const opened = new Promise<Record<string, unknown>>((resolve, reject) => {
    open = resolve
    fail = reject
  })

  const answering = run.model(callOf(model, { ...options, abortSignal: signal }), async (prompt, abortSignal) => {
    const { stream: parts, ...head } = await model.doStream({ ...options, prompt, abortSignal })
    open(head)
    const all: StreamPart[] = []
    for await (const part of parts as unknown as AsyncIterable<StreamPart>) {
      all.push(part)
      if (!isHeld && part.type !== 'finish') controller.enqueue(part)
    }
    const answer = answerIn(all)
    collected.set(answer, all)
    return answer
  })
  answering.then(
    (answer) => {
      open({})
      for (const part of left(answer)) controller.enqueue(part)
      controller.close()
    },
    (error: unknown) => {
      fail(error)
      controller.error(error)
    },
  )
  return { ...(await opened), stream }

  /** What of an answer has not been passed on. */
  function left(answer: Answer): StreamPart[] {
    const parts = collected.get(answer)
    if (!parts) return [{ type: 'stream-start', warnings: [] }, ...answer.content.flatMap(asParts), finishOf(answer)]
    return isHeld ? parts : parts.filter(({ type }) => type === 'finish')
  }
}

const finishOf = ({ finishReason, usage, providerMetadata }: Answer): StreamPart => ({
  ...{ type: 'finish', finishReason, usage },
  ...(providerMetadata !== undefined && { providerMetadata }),
})

function asParts(part: TextPart, index: number): StreamPart[] {
  if (part.type !== 'text') return [part]
  const id = `hookline-${index}`
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: part.text ?? '' },
    { type: 'text-end', id },
  ]
}

/** The answer that a stream amounts to. */
function answerIn(parts: readonly StreamPart[]): Answer {
  const texts = new Map<unknown, TextPart>()
  const content: TextPart[] = []
  for (const part of parts) {
    const [kind, step] = /^(text|reasoning)-(start|delta|end)$/.exec(part.type)?.slice(1) ?? []
    if (kind !== undefined && step === 'start') {
      const made: TextPart = { type: kind, text: '' }
      texts.set(`${kind} ${part['id']}`, made)
      content.push(made)
    } else if (kind !== undefined) {
      const made = texts.get(`${kind} ${part['id']}`)
      if (made && step === 'delta') made.text += String(part['delta'] ?? '')
      if (made && part['providerMetadata'] !== undefined) made['providerMetadata'] = part['providerMetadata']
    } else if (wholeParts.has(part.type)) content.push(part as TextPart)
    else if (part.type === 'error') throw part['error']
  }
  const { type: _finish, ...end } = parts.find(({ type }) => type === 'finish') ?? { type: 'finish' }
  return { finishReason: undefined, usage: undefined, ...end, content }
}

const wholeParts = new Set(['tool-call', 'tool-result', 'file', 'source', 'reasoning-file'])

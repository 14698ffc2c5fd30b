import type { AgentInputItem, Model, ModelRequest, ModelResponse, StreamEvent } from '@openai/agents-core'
import type { Conversation } from 'hookline/adapter'
import { transcript } from './transcript.ts'

export type Run = Conversation<AgentInputItem, ModelResponse>

/** A model whose calls go through the hooks of a run. `find`: the model itself, found when it is first called. */
export function guardModel(find: () => Model | Promise<Model>, name: string, run: Run): Model {
  return {
    async getResponse(request) {
      const model = await find()
      return run.model(callOf(request, name), (input, signal) => model.getResponse({ ...request, input, signal }))
    },
    getStreamedResponse: (request) => streamed(find, name, run, request),
  }
}

function callOf({ input, systemInstructions: system, signal }: ModelRequest, model_id: string) {
  const messages = typeof input === 'string' ? [transcript.note(input)] : input
  return { messages, system, model_id, signal }
}

/** Events are passed on as they come, unless a hook may rewrite the answer: then only the final one is, whole. */
async function* streamed(
  find: () => Model | Promise<Model>,
  name: string,
  run: Run,
  request: ModelRequest,
): AsyncIterable<StreamEvent> {
  const isHeld = run.holdsAnswers
  const waiting: StreamEvent[] = []
  let wake = () => {}
  let ids: { id?: string } = {}
  const answering = run.model(callOf(request, name), async (input, signal) => {
    const model = await find()
    let done: ModelResponse | undefined
    for await (const event of model.getStreamedResponse({ ...request, input, signal })) {
      if (event.type === 'response_done') {
        const { response } = event
        ids = { id: response.id }
        done = {
          ...response,
          usage: Object.assign(transcript.refusal('', 'refused').usage, response.usage),
          responseId: response.id,
        } as never
      } else if (!isHeld) {
        waiting.push(event)
        wake()
      }
    }
    if (!done) throw new Error('The model ended its stream without an answer.')
    return done
  })
  let isOver = false
  const over = answering.then(
    () => {},
    () => {},
  )
  void over.then(() => {
    isOver = true
    wake()
  })
  while (!isOver || waiting.length > 0) {
    const next = waiting.shift()
    if (next) yield next
    else
      await new Promise<void>((resolve) => {
        wake = resolve
        if (isOver || waiting.length > 0) resolve()
      })
  }
  const answer = await answering
  const { text } = transcript.answer(answer)
  if (isHeld || answer.providerData?.['hookline']) yield { type: 'output_text_delta', delta: text } as StreamEvent
  const { usage, output } = answer
  yield { type: 'response_done', response: { id: ids.id ?? 'hookline', usage: { ...usage }, output } } as never
}

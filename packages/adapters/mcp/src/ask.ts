import { randomUUID } from 'node:crypto'
import {
  type ApprovalQuestion,
  type RpcId as Id,
  isRecord,
  type RpcMessage as Message,
  type Peer,
  rpcSuccess as success,
} from 'hookline/internal'

/**
 * Questions to the person at the client, by elicitation. Until 2025-11-25 the server asks in a request of its own; from
 * 2026-07-28 on the call is answered with `input_required`, and the client calls again with the answer.
 */
export interface Questions {
  /** How to ask during this call; undefined when the client cannot. `moved`: the call goes on under another id. */
  forCall(request: Message & { id: Id }, moved: (id: Id) => void): Ask | undefined
  /** Whether this request brings the answer to a question; then it needs nothing else. */
  answers(request: Message & { id: Id }): boolean
  /** What the client said of itself when it connected. */
  capabilities: unknown
}

export type Ask = (
  question: ApprovalQuestion<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<boolean | undefined>

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const versionKey = 'io.modelcontextprotocol/protocolVersion'
const answerKey = 'hookline'

export function makeQuestions(server: string, client: Peer, reply: (message: Message) => Promise<void>): Questions {
  const open = new Map<string, (answer: Message & { id: Id }) => void>()

  const questions: Questions = {
    capabilities: undefined,
    answers(request) {
      const taken = open.get(String(request.params?.['requestState']))
      taken?.(request)
      return taken !== undefined
    },
    forCall(request, moved) {
      const meta = request.params?.['_meta']
      const modern = isRecord(meta) && typeof meta[versionKey] === 'string'
      const capabilities = modern ? meta[capabilitiesKey] : questions.capabilities
      if (!isRecord(capabilities) || !isRecord(capabilities['elicitation'])) return undefined
      let id = request.id
      return async (question, signal) => {
        const params = elicitation(server, question)
        if (!modern) return agreed((await client.ask('elicitation/create', params, signal)).result)
        const token = randomUUID()
        const inputRequests = { [answerKey]: { method: 'elicitation/create', params } }
        const again = nextRequest(token, signal)
        await reply(success(id, { resultType: 'input_required', inputRequests, requestState: token }))
        const answer = await again
        id = answer.id
        moved(id)
        const responses = answer.params?.['inputResponses']
        return agreed(isRecord(responses) ? responses[answerKey] : undefined)
      }
    },
  }
  return questions

  function nextRequest(token: string, signal: AbortSignal): Promise<Message & { id: Id }> {
    return new Promise((resolve, reject) => {
      const aborted = () => {
        open.delete(token)
        reject(signal.reason)
      }
      signal.addEventListener('abort', aborted)
      open.set(token, (answer) => {
        // Each token counts once.
        open.delete(token)
        signal.removeEventListener('abort', aborted)
        resolve(answer)
      })
    })
  }
}

const longestInput = 2_000

function elicitation(server: string, { tool_name, input, reason }: ApprovalQuestion<Record<string, unknown>>) {
  const written = JSON.stringify(input, undefined, 2)
  const shown = written.length > longestInput ? `${written.slice(0, longestInput)}…` : written
  return {
    message: `Hookline asks before ${tool_name} of the MCP server ${server} runs.\n${reason}\n\n${shown}`,
    requestedSchema: {
      type: 'object',
      properties: { allow: { type: 'boolean', title: 'Let it run', description: reason, default: false } },
      required: ['allow'],
    },
  }
}

/** Only a plain yes is one. A client that gives no answer at all has nobody to ask. */
function agreed(result: unknown): boolean | undefined {
  if (!isRecord(result)) return undefined
  const { action, content } = result
  return action === 'accept' && isRecord(content) && content['allow'] === true
}

import { createServer } from 'node:http'
import { protocols } from './protocols.mjs'

/**
 * A model on 127.0.0.1 that follows a script: no key, no network. A turn is a list of calls, or a text. It answers a request that
 * offers the agent's shell with the next turn whose `for` fits it, and says "done" when there is none left; requests without tools get "ok".
 * `before` of a turn runs before it is given: by then, what the turn before it called has ended.
 *
 * A call is `{ name, args }`, or `{ name, code }` for a tool that takes a text instead of arguments.
 */
export async function startModel(turns, shell) {
  const left = [...turns]
  const heard = []
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    const { pathname } = new URL(request.url, 'http://model')
    const protocol = protocols.find(({ path }) => path.test(pathname))
    if (!protocol || request.method !== 'POST') return other(pathname, response)
    const body = JSON.parse(text)
    heard.push(text)
    const tools = protocol.tools(body)
    const turn = tools.some(({ name }) => name === shell) ? next(left, text) : { text: 'ok' }
    await turn.before?.()
    const calls = (turn.calls ?? []).map((call) => whole(call, tools))
    const streams = protocol.streams(request.url, body)
    response.writeHead(200, { 'content-type': streams ? 'text/event-stream' : 'application/json' })
    response.end(protocol.answer({ text: turn.text ?? '', calls }, streams, body))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Everything that the agent has told the model. */
    heard: () => heard.join('\n'),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function next(left, text) {
  const at = left.findIndex(({ for: fits = () => true }) => fits(text))
  return at === -1 ? { text: 'done' } : left.splice(at, 1)[0]
}

/** With whatever else the tool says it needs. */
function whole(call, tools) {
  const tool = tools.find(({ name }) => name === call.name)
  if (call.code !== undefined) return { ...call, namespace: tool?.namespace }
  const { properties = {}, required = [] } = tool?.schema ?? {}
  const missing = required.filter((key) => !(key in call.args)).map((key) => [key, some(properties[key])])
  return { ...call, args: { ...call.args, ...Object.fromEntries(missing) }, namespace: tool?.namespace }
}

function some({ type, enum: values, default: usual } = {}) {
  if (usual !== undefined) return usual
  if (values) return values[0]
  const kind = [type].flat()[0]
  return { boolean: false, integer: 1, number: 1, array: [], object: {} }[String(kind).toLowerCase()] ?? 'scripted'
}

/** Lists of models, counts of tokens. */
function other(path, response) {
  const model = { id: 'scripted', object: 'model', type: 'model', display_name: 'scripted', context_length: 200_000 }
  const said = /count/i.test(path)
    ? { input_tokens: 1, totalTokens: 1 }
    : /\/models$/.test(path)
      ? { object: 'list', data: [model], models: [{ name: 'models/scripted' }], has_more: false }
      : {}
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
}

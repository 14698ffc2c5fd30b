import { createServer } from 'node:http'
import { ToolFailure } from '../../core/index.ts'

export const callbackPath = '/callback'

export interface Callback {
  /** The parameters with which the browser came back. Rejects when the server refused, or nobody came in time. */
  answer: Promise<URLSearchParams>
  close(): void
}

/** Waits on this machine for the browser of a person who signs in elsewhere. Whoever does not know the state is turned away. */
export async function awaitCallback(port: number, state: string, patience: AbortSignal): Promise<Callback> {
  let settle!: { done(answer: URLSearchParams): void; failed(error: Error): void }
  const answer = new Promise<URLSearchParams>((done, failed) => {
    settle = { done, failed }
  })
  // Nobody may be waiting for it any more.
  answer.catch(() => {})
  const server = createServer(({ url = '/', method }, response) => {
    const asked = URL.canParse(url, 'http://127.0.0.1') ? url : '/'
    const { pathname, searchParams } = new URL(asked, 'http://127.0.0.1')
    const isOurs = method === 'GET' && pathname === callbackPath && searchParams.get('state') === state
    const refused = searchParams.get('error')
    const text = !isOurs ? 'This is not the sign-in that is waited for.' : refused ? 'Not signed in.' : 'Signed in.'
    response.writeHead(isOurs ? 200 : 400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end(`${text} You can close this window.\n`)
    if (!isOurs) return
    if (refused) settle.failed(new ToolFailure(`it refused the sign-in: ${describe(refused, searchParams)}`))
    else settle.done(searchParams)
  })
  const gaveUp = () => settle.failed(new ToolFailure('nobody signed in.'))
  patience.addEventListener('abort', gaveUp, { once: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) =>
      reject(new ToolFailure(`the sign-in needs port ${port} of this machine: ${message}`)),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  server.unref()
  return {
    answer,
    close() {
      patience.removeEventListener('abort', gaveUp)
      server.close()
      server.closeAllConnections()
    },
  }
}

const describe = (error: string, parameters: URLSearchParams): string =>
  [error, parameters.get('error_description')].filter((text) => text).join(': ')

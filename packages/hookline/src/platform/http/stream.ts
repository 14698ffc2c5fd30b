import { pipeline, Readable, Transform } from 'node:stream'
import { HookFailure } from '../../core/index.ts'
import { admitted, bodiless, type Fetch, type FetchOptions, retriable } from './fetch.ts'

/** A guarded `fetch` for answers that are read as they arrive, such as a stream of events. */
export function streamingFetch(options: FetchOptions): Fetch {
  return async (input, init) => {
    const request = await admitted(input, init, options)
    const { body, headers, ...head } = await options.connections.open(request, options.allowLocal).catch(retriable)
    if (!bodiless.has(head.status)) return new Response(bounded(body, options.limit), { ...head, headers })
    body.resume()
    return new Response(null, { ...head, headers })
  }
}

function bounded(body: Readable, limit: number): ReadableStream {
  let bytes = 0
  const meter = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      if (bytes > limit) done(new HookFailure('output-limit', `The answer is larger than ${limit} bytes.`))
      else done(null, chunk)
    },
  })
  pipeline(body, meter, () => {})
  return Readable.toWeb(meter) as ReadableStream
}

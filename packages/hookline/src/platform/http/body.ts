import type { IncomingMessage } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { HookFailure } from '../../core/index.ts'

const decoders: Record<string, () => Duplex> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The whole body, decompressed. Both what arrives and what it unpacks to are bounded. */
export async function readBody(response: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity') return collect(response, limit)
  const decoder = decoders[encoding]?.()
  if (!decoder) throw new HookFailure('http', `The answer is encoded as ${encoding}, which was not asked for.`)
  const unpacked = collect(decoder, limit)
  let arrived = 0
  response.on('data', (chunk: Buffer) => {
    arrived += chunk.length
    if (arrived > limit) decoder.destroy(tooLarge(limit))
  })
  response.on('error', (error) => decoder.destroy(error))
  response.pipe(decoder)
  try {
    return await unpacked
  } finally {
    response.unpipe(decoder)
    decoder.destroy()
  }
}

async function collect(stream: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limit) throw tooLarge(limit)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof HookFailure) throw error
    throw new HookFailure('http', `The answer broke off: ${(error as Error).message}`)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (limit: number) => new HookFailure('output-limit', `The answer is larger than ${limit} bytes.`)

import { refuse } from './problem.ts'

/** Nothing that is sent here is longer. */
export const mostBytes = 1024 * 1024

/** The body of a request as JSON. */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\b/i.test(type))
    throw refuse(415, 'request-invalid', { detail: 'its content-type must be application/json' })
  const text = await readText(request)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refuse(400, 'request-invalid', { detail: 'it is not JSON' })
  }
  if (isDeeper(value, mostLevels))
    throw refuse(400, 'request-invalid', { detail: `it is nested more than ${mostLevels} levels deep` })
  return value
}

/** Whatever reads it may call itself for each level. */
const mostLevels = 100

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}

/** As it came; read piece by piece, so that nobody fills the memory with one. */
export const readText = async (request: Request): Promise<string> => (await readBytes(request)).toString('utf8')

export async function readBytes(request: Request): Promise<Buffer> {
  const tooLarge = () => refuse(413, 'request-too-large', { limit: '1 MiB' })
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += (chunk as Uint8Array).length
    if (size > mostBytes) throw tooLarge()
    chunks.push(chunk as Uint8Array)
  }
  return Buffer.concat(chunks)
}

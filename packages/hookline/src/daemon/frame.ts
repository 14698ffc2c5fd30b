/**
 * How bytes travel over the socket of the daemon. The thin client (packages/client, C) reads and writes the same: whoever
 * changes this changes `protocolVersion`, and with it the client.
 *
 *   frame  = "HL" version:u8 kind:u8 length:u32be body
 *   fields = (length:u32be bytes)*
 */
export const protocolVersion = 1

/** What a frame holds. `call`, `answer` and `decline` are fields, for a client that knows no JSON; `message` is JSON. */
export const frameKinds = {
  /** One event of a host; see call.ts. */
  call: 1,
  /** What the client prints and the code it exits with. */
  answer: 2,
  /** The daemon does not answer this call, and why: the client runs `dispatch` itself. */
  decline: 3,
  /** The daemon is at work on the call: sent about once a second until it answers. Empty. */
  working: 4,
  /** A request, a response or a notice between Node programs; see protocol.ts. */
  message: 5,
} as const
export type FrameKind = keyof typeof frameKinds

export interface Frame {
  kind: FrameKind
  body: Buffer
}

/** Nobody sends more at once: longer payloads are for a process of their own. */
export const longestBody = 64 * 1024 * 1024

const headerBytes = 8
const kindNames = new Map(Object.entries(frameKinds).map(([name, code]) => [code as number, name as FrameKind]))

export function encodeFrame(kind: FrameKind, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const header = Buffer.alloc(headerBytes)
  header.write('HL', 0, 'latin1')
  header.writeUInt8(protocolVersion, 2)
  header.writeUInt8(frameKinds[kind], 3)
  header.writeUInt32BE(length, 4)
  return Buffer.concat([header, ...parts])
}

/** What is not a frame of ours; the connection is of no use any more. */
export class FrameError extends Error {
  override name = 'FrameError'
}

/** Takes bytes as they come, and gives each frame once it is whole. Throws a FrameError for anything else. */
export function frameReader(longest = longestBody): (chunk: Buffer) => Frame[] {
  let rest: Buffer[] = []
  let held = 0
  let wanted = headerBytes
  return (chunk) => {
    rest.push(chunk)
    held += chunk.length
    const frames: Frame[] = []
    if (held < wanted) return frames
    let bytes = rest.length === 1 ? chunk : Buffer.concat(rest)
    for (wanted = headerBytes; bytes.length >= wanted; ) {
      const { kind, length } = headerOf(bytes, longest)
      wanted = headerBytes + length
      if (bytes.length < wanted) break
      frames.push({ kind, body: bytes.subarray(headerBytes, wanted) })
      bytes = bytes.subarray(wanted)
      wanted = headerBytes
    }
    rest = [bytes]
    held = bytes.length
    return frames
  }
}

function headerOf(bytes: Buffer, longest: number): { kind: FrameKind; length: number } {
  if (bytes[0] !== 0x48 || bytes[1] !== 0x4c) throw new FrameError('It does not begin as a frame does.')
  if (bytes[2] !== protocolVersion) throw new FrameError(`It has version ${bytes[2]} of the protocol.`)
  const kind = kindNames.get(bytes[3]!)
  if (!kind) throw new FrameError(`There is no kind of frame ${bytes[3]}.`)
  const length = bytes.readUInt32BE(4)
  if (length > longest) throw new FrameError(`It is ${length} bytes long.`)
  return { kind, length }
}

export function encodeFields(fields: readonly (string | Buffer)[]): Buffer {
  const parts = fields.flatMap((field) => {
    const bytes = typeof field === 'string' ? Buffer.from(field) : field
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return [length, bytes]
  })
  return Buffer.concat(parts)
}

export function decodeFields(body: Buffer): Buffer[] {
  const fields: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    if (at + 4 > body.length) throw new FrameError('A field is cut off.')
    const length = body.readUInt32BE(at)
    at += 4
    if (at + length > body.length) throw new FrameError('A field is cut off.')
    fields.push(body.subarray(at, at + length))
    at += length
  }
  return fields
}

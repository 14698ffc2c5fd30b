import { decodeFields, encodeFields, FrameError } from './frame.ts'

/** One event of a host, with all that a process of its own would have had. */
export interface HostCall {
  /** The engine that the caller belongs to; another one than the daemon's is an upgrade. */
  engine: string
  host: string
  event: string
  /** Milliseconds until the caller gives up. */
  deadlineMs: number
  cwd: string
  /** The device and the inode of that directory: in a container it may be another one than the daemon's. */
  directory: string
  umask: number
  env: Readonly<Record<string, string>>
  /** As it came on standard input. */
  payload: Buffer
}

/** What the caller prints, and the code it exits with. */
export interface CallAnswer {
  exit: number
  stdout: string
  stderr: string
}

/** Fields: engine, host, event, deadline in ms, cwd, `device:inode`, umask in octal, environment (`A=b\0…`), payload. */
export function encodeCall(call: HostCall): Buffer {
  const environment = Object.entries(call.env).map(([name, value]) => `${name}=${value}\0`)
  return encodeFields([
    ...[call.engine, call.host, call.event, String(call.deadlineMs), call.cwd, call.directory],
    ...[call.umask.toString(8), environment.join(''), call.payload],
  ])
}

export function decodeCall(body: Buffer): HostCall {
  const fields = decodeFields(body)
  if (fields.length < 9) throw new FrameError('Fields of a call are missing.')
  const text = fields.map((field, at) => (at < 8 ? field.toString('utf8') : ''))
  const [engine, host, event, deadline, cwd, directory, umask, environment] = text as [string, ...string[]] & string[]
  return {
    ...{ engine, host: host!, event: event!, cwd: cwd!, directory: directory! },
    deadlineMs: numberIn(deadline!, 10),
    umask: numberIn(umask!, 8),
    env: variablesIn(environment!),
    payload: fields[8]!,
  }
}

function numberIn(text: string, base: 8 | 10): number {
  const number = /^[0-9]{1,9}$/.test(text) ? Number.parseInt(text, base) : Number.NaN
  if (Number.isNaN(number)) throw new FrameError('A number of a call is none.')
  return number
}

/** As the system has it: of a name that stands there twice, the first counts. */
function variablesIn(block: string): Record<string, string> {
  const variables: Record<string, string> = Object.create(null)
  for (const line of block.split('\0')) {
    const end = line.indexOf('=', 1)
    if (end > 0) variables[line.slice(0, end)] ??= line.slice(end + 1)
  }
  return variables
}

/** Fields: exit code, standard output, standard error. */
export const encodeAnswer = ({ exit, stdout, stderr }: CallAnswer): Buffer =>
  encodeFields([String(exit), stdout, stderr])

export function decodeAnswer(body: Buffer): CallAnswer {
  const [exit, stdout, stderr] = decodeFields(body)
  if (!exit || !stdout || !stderr) throw new FrameError('Fields of an answer are missing.')
  return { exit: numberIn(exit.toString(), 10), stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') }
}

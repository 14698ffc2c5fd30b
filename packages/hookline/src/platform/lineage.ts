import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { namesIn } from './paths.ts'

/** A running process, as the system shows it to us. What it does not show is empty. */
export interface RunningProcess {
  pid: number
  parent: number
  /** The terminal that it belongs to, `/dev/pts/3`. */
  terminal?: string
  /** The id of the process that leads its session. */
  session: number
  /** Whose it is; where the system hides what it does, root's. */
  owner?: number
  /** The name that it has given itself. */
  name: string
  /** The file that it runs, where the system shows it: not so of processes of other users. */
  program?: string
  words: readonly string[]
  variables: ReadonlyMap<string, string>
}

const deepest = 64

/** The process itself, the one that started it, and so on up: as far as the system tells. */
export function lineageOf(pid: number): RunningProcess[] {
  const found: RunningProcess[] = []
  for (let at = pid; at > 0 && found.length < deepest; ) {
    const process = processAt(at)
    if (!process || found.some((known) => known.pid === at)) break
    found.push(process)
    at = process.parent
  }
  return found
}

/** Every process of a name that the system shows. */
export const processesCalled = (name: RegExp): RunningProcess[] =>
  namesIn('/proc')
    .filter((pid) => /^\d+$/.test(pid) && name.test(textAt(`/proc/${pid}/comm`).trim()))
    .flatMap((pid) => processAt(Number(pid)) ?? [])

/** Who holds the other end of a terminal: its window, tmux, sshd; or a program that types in the place of a person. */
export function holdersOf(terminal: string): RunningProcess[] {
  const index = /^\/dev\/pts\/(\d+)$/.exec(terminal)?.[1]
  if (index === undefined) return []
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => namesIn(`/proc/${pid}/fd`).some((descriptor) => isMaster(pid, descriptor, index)))
    .flatMap((pid) => processAt(Number(pid)) ?? [])
}

function isMaster(pid: string, descriptor: string, index: string): boolean {
  if (!linkAt(`/proc/${pid}/fd/${descriptor}`).endsWith('ptmx')) return false
  return new RegExp(`^tty-index:\\s*${index}$`, 'm').test(textAt(`/proc/${pid}/fdinfo/${descriptor}`))
}

/** Whether a process has loaded what draws windows: a terminal of a desktop, and no program that was only named like one. */
export const drawsWindows = (pid: number): boolean =>
  /\/lib(?:wayland-client|X11|xcb|gtk-\d|Qt\dGui|EGL|GLX?)\b[^/]*\.so/.test(textAt(`/proc/${pid}/maps`))

/** The terminal behind standard input; undefined where the system does not say. */
export const inputTerminal = (): string | undefined => linkAt('/proc/self/fd/0') || undefined

export function processAt(pid: number): RunningProcess | undefined {
  const text = textAt(`/proc/${pid}/stat`)
  if (text === '') return process.platform === 'linux' ? undefined : listed(pid)
  const [, parent, , session, terminal] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {
    pid,
    parent: Number(parent),
    session: Number(session),
    ...ownerAt(pid),
    ...terminalNumbered(Number(terminal)),
    name: textAt(`/proc/${pid}/comm`).trim(),
    ...programAt(pid),
    words: textAt(`/proc/${pid}/cmdline`).split('\0').slice(0, -1),
    variables: new Map(
      textAt(`/proc/${pid}/environ`)
        .split('\0')
        .map((entry) => [entry.split('=', 1)[0]!, entry.slice(entry.indexOf('=') + 1)] as const),
    ),
  }
}

function ownerAt(pid: number): { owner?: number } {
  const owner = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid
  return owner === undefined ? {} : { owner }
}

function programAt(pid: number): { program?: string } {
  const program = linkAt(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '')
  return program === '' ? {} : { program }
}

/** The number of a device: eight bits of the minor, then twelve of the major, then the rest of the minor. */
function terminalNumbered(device: number): { terminal?: string } {
  const [major, minor] = [(device >> 8) & 0xfff, (device & 0xff) | ((device >>> 12) & 0xfff00)]
  if (major >= 136 && major <= 143) return { terminal: `/dev/pts/${(major - 136) * 0x100000 + minor}` }
  return major === 4 ? { terminal: `/dev/tty${minor}` } : {}
}

/** Where there is no /proc. Variables of others are not shown there. */
function listed(pid: number): RunningProcess | undefined {
  try {
    const line = execFileSync('/bin/ps', ['-o', 'ppid=,tty=,command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [, parent, terminal, command = ''] = /^\s*(\d+)\s+(\S+)\s+(.*)$/m.exec(line) ?? []
    if (parent === undefined) return undefined
    const named = /^\?/.test(terminal!) ? {} : { terminal: `/dev/${terminal}` }
    return {
      pid,
      parent: Number(parent),
      session: 0,
      ...named,
      name: '',
      words: command.split(' '),
      variables: new Map(),
    }
  } catch {
    return undefined
  }
}

export function linkAt(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function textAt(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

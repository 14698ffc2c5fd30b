import { readFileSync } from 'node:fs'
import { linkAt } from './lineage.ts'
import { namesIn } from './paths.ts'

/** A connection between two sockets, as this machine sees it from one of them. */
interface Connection {
  local: string
  remote: string
  localPort: number
  remotePort: number
  owner: number
  inode: string
}

/** The connections of this machine, at this moment. */
export interface Connections {
  /** Whether one stands between these ports. */
  has(localPort: number, remotePort: number): boolean
  /** Processes of ours that are connected to one of these ports of this machine, at whatever address. Undefined: none; a process can hide. */
  clientsOf(ports: ReadonlySet<number>): number[] | undefined
}

/** Undefined: the system does not show them. */
export function connectionsNow(): Connections | undefined {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => textOf(file) ?? [])
  if (tables.length === 0) return undefined
  const all = tables.flatMap((text) => text.split('\n').slice(1).flatMap(readConnection))
  return {
    has: (localPort, remotePort) => all.some((each) => each.localPort === localPort && each.remotePort === remotePort),
    clientsOf(ports) {
      // Both ends of a connection to oneself stand in the table.
      const ends = new Set(all.map(({ local, remote }) => `${local} ${remote}`))
      const clients = all.filter(
        ({ local, remote, remotePort, owner }) =>
          ports.has(remotePort) && owner === process.getuid?.() && ends.has(`${remote} ${local}`),
      )
      return clients.length === 0
        ? undefined
        : holdersOfSockets(new Set(clients.map(({ inode }) => `socket:[${inode}]`)))
    },
  }
}

const established = '01'
/** How an address of four bytes is written among those of sixteen. */
const mapped = /^0{16}FFFF0000/

function readConnection(line: string): Connection[] {
  const [, local = '', remote = '', state, , , , owner, , inode = ''] = line.trim().split(/\s+/)
  if (state !== established) return []
  const [one, other] = [local, remote].map((end) => end.replace(mapped, '')) as [string, string]
  return [{ local: one, remote: other, localPort: portOf(one), remotePort: portOf(other), owner: Number(owner), inode }]
}

const portOf = (end: string): number => Number.parseInt(end.slice(end.indexOf(':') + 1), 16)

const holdersOfSockets = (sockets: ReadonlySet<string>): number[] =>
  namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => namesIn(`/proc/${pid}/fd`).some((fd) => sockets.has(linkAt(`/proc/${pid}/fd/${fd}`))))
    .map(Number)

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Connections, namesIn, type RunningProcess } from '../platform/index.ts'

/** Who may have made the login that a terminal belongs to, on this very machine. */
export interface LoginFromHere {
  /** Processes that are connected to it. */
  clients: readonly number[]
}

/**
 * `ssh localhost` has the terminal of a login, and types into it: a program can do that as well as a person. Which of the
 * logins a process belongs to stands in a variable only, which it can change; so where there is a login from this machine, it may be
 * this one. Undefined: the person sits elsewhere, or this is no login over the network.
 */
export function loginFromHere(
  lineage: readonly RunningProcess[],
  connections: Connections | undefined,
): LoginFromHere | undefined {
  const at = lineage.findIndex(({ name }) => networkLogin.test(name))
  if (at === -1 || !connections) return undefined
  const inside = lineage.slice(0, at)
  const said = inside.flatMap(({ variables }) => readSaid(variables.get('SSH_CONNECTION') ?? ''))
  const clients = connections.clientsOf(new Set([...usualPorts(), ...said.map(({ server }) => server)]))
  if (clients) return { clients }
  // Somebody took the variable away, or made it up. What belongs to other users is not shown, so nothing is missing there.
  const isWhole = inside.every(({ owner }) => owner === process.getuid?.())
  const isThere = said.some(({ server, client }) => connections.has(server, client))
  return isWhole && !isThere ? { clients: [] } : undefined
}

const networkLogin = /^(?:sshd(?:-session|-auth)?|dropbear|(?:in\.)?telnetd)$/

/** `<client> <its port> <server> <its port>`. */
function readSaid(text: string): { client: number; server: number }[] {
  const [, client, server] = /^\S+ (\d+) \S+ (\d+)$/.exec(text) ?? []
  return client === undefined ? [] : [{ client: Number(client), server: Number(server) }]
}

const settings = '/etc/ssh'

/** Where sshd listens, as its settings say, and where such servers usually do. */
function usualPorts(): number[] {
  const more = namesIn(join(settings, 'sshd_config.d')).map((name) => join(settings, 'sshd_config.d', name))
  const texts = [join(settings, 'sshd_config'), ...more].map(textOf)
  return [
    22,
    23,
    ...texts.flatMap((text) => [...text.matchAll(/^\s*Port[\s=]+(\d+)/gim)].map(([, port]) => Number(port))),
  ]
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

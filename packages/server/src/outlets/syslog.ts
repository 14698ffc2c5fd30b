import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import type { Alert } from '../audit/alerts.ts'
import type { Decision } from '../decisions/index.ts'
import { defineOutlet } from './kind.ts'

const mostMs = 15_000

/** CEF in messages of syslog (RFC 5424): by UDP (RFC 5426), TCP, or TLS (RFC 5425), where each message begins with its length. */
export const syslog = defineOutlet({
  doc: 'A SIEM that takes CEF over syslog: `udp://host:514`, `tcp://host:514` or `tls://host:6514`.',
  takesDecisions: true,
  needs: [],
  async send({ alerts, decisions }, { url }) {
    const { protocol, hostname: host, port } = new URL(url)
    const messages = [
      ...alerts.map((alert) => message(alert.ended ?? alert.last, alert.severity, cefOf.alert(alert))),
      ...decisions.map((decision) => message(decision.time, severityOf(decision), cefOf.decision(decision))),
    ]
    const own = host.replace(/^\[|\]$/g, '')
    if (protocol === 'udp:') return byDatagrams(messages, own, Number(port) || 514)
    if (protocol === 'tcp:') return byStream(connect({ host: own, port: Number(port) || 514 }), 'connect', messages)
    if (protocol === 'tls:')
      return byStream(connectTls({ host: own, port: Number(port) || 6514, servername: own }), 'secureConnect', messages)
    throw new Error('Syslog goes to `udp://`, `tcp://` or `tls://`.')
  },
})

const severityOf = ({ outcome, failed_open }: Decision): number =>
  failed_open ? 8 : outcome === 'deny' || outcome === 'halt' ? 6 : outcome === 'ask' ? 4 : 2

export const cefOf = {
  decision(decision: Decision): string {
    const { event, outcome, subject, reason, host, session, tool, call, machine, project, time } = decision
    return cef(`decision:${outcome}`, `${event} ${outcome}`, severityOf(decision), {
      ...{
        rt: String(Date.parse(time)),
        act: outcome,
        msg: reason ?? subject,
        sproc: host,
        externalId: String(decision.id),
      },
      ...{ cs1Label: 'command', cs1: subject, cs2Label: 'tool', cs2: tool, cs3Label: 'session', cs3: session },
      ...{ cs4Label: 'project', cs4: project, cs5Label: 'call', cs5: call, dvchost: machine },
    })
  },
  alert({ id, kind, title, severity, about, detail, last, ended, count }: Alert): string {
    return cef(`alert:${kind}`, ended === null ? title : `Over: ${title}`, severity, {
      ...{ rt: String(Date.parse(ended ?? last)), msg: detail, externalId: id, cnt: String(count) },
      ...{ cs1Label: 'about', cs1: about },
    })
  },
}

/** ArcSight Common Event Format, version 0: in the header `|` and `\` are escaped, in the extension `=`, `\` and ends of lines. */
function cef(id: string, name: string, severity: number, extension: Record<string, string | null>): string {
  const header = (text: string) => text.replace(/[\\|]/g, '\\$&').replace(/[\r\n]+/g, ' ')
  const value = (text: string) =>
    text
      .slice(0, 1_000)
      .replace(/[\\=]/g, '\\$&')
      .replace(/\r?\n|\r/g, '\\n')
  // A label of nothing says nothing.
  const isThere = (key: string) => extension[key.replace(/Label$/, '')] != null
  const fields = Object.entries(extension).flatMap(([key, text]) => (isThere(key) ? [`${key}=${value(text!)}`] : []))
  return `CEF:0|Hookline|Hookline|1|${header(id)}|${header(name)}|${severity}|${fields.join(' ')}`
}

/** Facility `log audit` (13). The severities of CEF rise from 0 to 10, those of syslog fall from 7 to 0. */
function message(time: string, severity: number, text: string): string {
  const level = severity >= 9 ? 2 : severity >= 7 ? 3 : severity >= 5 ? 4 : 6
  return `<${13 * 8 + level}>1 ${time} ${hostname() || '-'} hookline ${process.pid} - - ${text}`
}

async function byDatagrams(messages: readonly string[], host: string, port: number): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  try {
    for (const each of messages)
      await new Promise<void>((resolve, reject) =>
        socket.send(Buffer.from(each), port, host, (error) => (error ? reject(error) : resolve())),
      )
  } finally {
    socket.close()
  }
}

/** Whoever receives says nothing: that it was handed to a connection which then ends in order is all that can be known. */
async function byStream(
  socket: Socket,
  ready: 'connect' | 'secureConnect',
  messages: readonly string[],
): Promise<void> {
  socket.setTimeout(mostMs, () => socket.destroy(new Error('It does not take the messages.')))
  try {
    await once(socket, ready)
    const closed = once(socket, 'close')
    socket.on('data', () => {})
    socket.end(Buffer.concat(messages.map((each) => Buffer.from(`${Buffer.byteLength(each)} ${each}`))))
    await closed
    if (socket.errored) throw socket.errored
  } finally {
    socket.destroy()
  }
}

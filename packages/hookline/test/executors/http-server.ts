import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'
import { afterAll } from 'vitest'
import type { Certificate } from './http-certificate.ts'

const open: { server: Server; sockets: Set<Socket> }[] = []
afterAll(async () => {
  for (const { server, sockets } of open) {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A real server on a free port of 127.0.0.1, closed after the tests of the file. */
export async function serve(listener: RequestListener, certificate?: Certificate): Promise<number> {
  return listen(certificate ? https.createServer(certificate, listener) : http.createServer(listener))
}

/** The same, for what no HTTP library would do. */
export async function serveRaw(listener: (socket: Socket) => void): Promise<number> {
  return listen(
    net.createServer((socket) => {
      socket.on('error', () => {})
      listener(socket)
    }),
  )
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  open.push({ server, sockets })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

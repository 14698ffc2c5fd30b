/**
 * A small process that starts hooks for a big one: starting a process copies the page tables of its parent, so from a
 * host of 1 GB it takes twenty times as long (libuv forks; nodejs/node#14917). It lives and dies with its host, and
 * imports next to nothing to stay small.
 */

import { killLiveGroups } from '../../platform/index.ts'
import type { FromServer, ToServer } from './fork-client.ts'
import { type Ending, type Running, start } from './spawn.ts'

const running = new Map<number, Running>()
const tell = (message: FromServer): void => void process.send?.(message, undefined, undefined, () => {})

process.on('message', (message: ToServer) => {
  if (message.order === undefined) return void running.get(message.id)?.[message.end]()
  let settled = false
  const { id, order, awaitsLine } = message
  const ended = (ending: Ending) => {
    settled = true
    running.delete(id)
    tell({ id, ending })
  }
  const handle = start(order, ended, awaitsLine ? (firstLine) => tell({ id, firstLine }) : undefined)
  if (!settled) running.set(id, handle)
})

process.on('disconnect', () => {
  killLiveGroups()
  process.exit()
})

tell({ ready: true })

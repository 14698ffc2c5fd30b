import { Worker } from 'node:worker_threads'
import type { Asked, Told } from './reader.ts'
import type { Reading, Value } from './sql.ts'
import { asObject } from './statements.ts'

/** Reads a file of SQLite in threads: what takes long keeps nobody waiting but whoever asked for it. */
export interface Aside extends Reading {
  close(): Promise<void>
}

/** One may count for seconds; a search beside it is answered at once. */
const threads = 2

export function openAside(file: string): Aside {
  const readers = Array.from({ length: threads }, () => openReader(file))
  const ask = (sql: string, values: readonly Value[] = []) => {
    const idlest = readers.reduce((one, other) => (other.waiting < one.waiting ? other : one))
    return idlest.ask({ sql, values: [...values] })
  }
  return {
    rows: async (sql, values) => (await ask(sql, values)).rows,
    async all<Row>(sql: string, values?: readonly Value[]) {
      const { names, rows } = await ask(sql, values)
      return rows.map((row) => asObject(names, row) as Row)
    },
    async close() {
      for (const each of readers) await each.close()
    },
  }
}

type Answer = Extract<Told, { rows: unknown }>

/** One thread, started when it is first needed. One that ended is started again. */
function openReader(file: string) {
  let worker: Worker | undefined
  let count = 0
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>()

  function started(): Worker {
    const made = new Worker(readerFile(), { name: 'hookline-reader', workerData: file, execArgv: [] })
    made.unref()
    made.on('message', (told: Told) => {
      const own = waiting.get(told.id)
      waiting.delete(told.id)
      if ('error' in told) own?.reject(new Error(told.error))
      else own?.resolve(told)
    })
    const end = (error: Error) => {
      worker = undefined
      for (const each of waiting.values()) each.reject(error)
      waiting.clear()
    }
    made.on('error', end)
    made.on('exit', () => end(new Error('The store was closed.')))
    return made
  }

  return {
    get waiting() {
      return waiting.size
    },
    ask: ({ sql, values }: Omit<Asked, 'id'>) =>
      new Promise<Answer>((resolve, reject) => {
        worker ??= started()
        const id = ++count
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, sql, values } satisfies Asked)
      }),
    close: async () => void (await worker?.terminate()),
  }
}

/** The build puts it beside this file; from source, the built one is used. */
function readerFile(): URL {
  const here = import.meta.url
  return new URL(here.endsWith('.ts') ? '../../dist/reader.js' : './reader.js', here)
}

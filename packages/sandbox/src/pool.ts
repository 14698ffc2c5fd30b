import type { Worker } from 'node:worker_threads'
import { HookFailure, type Pool, sandboxReady as ready } from 'hookline/internal'

interface Task<J, O> {
  job: J
  settle(act: 'resolve', outcome: O): void
  settle(act: 'reject', failure: HookFailure): void
}

interface Thread<J, O> {
  worker: Worker
  ready: boolean
  task?: Task<J, O>
}

export function createPool<J, O>(size: number, start: () => Worker): Pool<J, O> {
  const threads = new Set<Thread<J, O>>()
  const queue: Task<J, O>[] = []
  const ending = new Set<Promise<unknown>>()
  let unsettled = 0
  let closed = false

  return {
    warm: () => void (threads.size === 0 && !closed && open()),
    run(job, signal) {
      if (closed || signal.aborted) return Promise.reject(stopped())
      return new Promise<O>((resolve, reject) => {
        const task: Task<J, O> = {
          job,
          settle(act: 'resolve' | 'reject', value: unknown) {
            signal.removeEventListener('abort', abort)
            unsettled--
            holdProcess()
            if (act === 'resolve') resolve(value as O)
            else reject(value)
          },
        }
        const abort = () => {
          drop(task)
          task.settle('reject', stopped())
        }
        signal.addEventListener('abort', abort, { once: true })
        unsettled++
        queue.push(task)
        assign()
        holdProcess()
      })
    },
    async close() {
      closed = true
      const tasks = [...queue.splice(0), ...[...threads].flatMap((thread) => thread.task ?? [])]
      for (const thread of threads) end(thread)
      for (const task of tasks) task.settle('reject', stopped())
      await Promise.all(ending)
    },
  }

  function assign(): void {
    for (const thread of threads) {
      if (!thread.ready || thread.task) continue
      const task = queue.shift()
      if (!task) return
      thread.task = task
      thread.worker.postMessage(task.job)
    }
    if (queue.length > 0 && threads.size < size) open()
  }

  function open(): void {
    const thread: Thread<J, O> = { worker: start(), ready: false }
    threads.add(thread)
    thread.worker.on('message', (message: typeof ready | O) => {
      if (!threads.has(thread)) return
      const { task } = thread
      delete thread.task
      if (message === ready) thread.ready = true
      else task?.settle('resolve', message as O)
      assign()
    })
    thread.worker.on('error', (error: NodeJS.ErrnoException) => lost(thread, error))
    thread.worker.on('exit', () => lost(thread, new Error('it ended')))
    holdProcess()
  }

  /** A thread that dies while it starts would die again: the waiting jobs fail, and the next job starts a new thread. */
  function lost(thread: Thread<J, O>, error: NodeJS.ErrnoException): void {
    if (!threads.delete(thread)) return
    if (thread.ready) {
      thread.task?.settle('reject', causeOfDeath(error))
      open()
    } else if (threads.size === 0)
      for (const task of queue.splice(0))
        task.settle('reject', new HookFailure('spawn', `The sandbox cannot start: ${error.message}`))
  }

  function drop(task: Task<J, O>): void {
    const waiting = queue.indexOf(task)
    if (waiting >= 0) return void queue.splice(waiting, 1)
    for (const thread of threads)
      if (thread.task === task) {
        end(thread)
        open()
      }
  }

  function end(thread: Thread<J, O>): void {
    threads.delete(thread)
    const ended = thread.worker.terminate()
    ending.add(ended)
    ended.finally(() => ending.delete(ended))
  }

  /** Idle threads let the process exit; a job in flight does not. */
  function holdProcess(): void {
    for (const { worker } of threads) {
      if (unsettled > 0) worker.ref()
      else worker.unref()
    }
  }
}

const stopped = () => new HookFailure('aborted', 'The sandbox was stopped before the script ended.')

function causeOfDeath(error: NodeJS.ErrnoException): HookFailure {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new HookFailure('signal', 'The script used up the memory of the sandbox and was killed.')
  return new HookFailure('internal', `The sandbox broke: ${error.message}`)
}

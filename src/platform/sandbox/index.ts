import { Worker } from 'node:worker_threads'
import { builtEntry } from '../index.ts'
import type { Job, Outcome } from './job.ts'
import { createPool, type Pool } from './pool.ts'

export { type Entry, type Job, type Outcome, type Tree, workspace } from './job.ts'

/** Threads of one sandbox. */
export const threads = 2
const memoryMiB = 256

/** Threads that run scripts in a shell of our own over virtual files, and can be terminated at any time. */
export type Sandbox = Pool<Job, Outcome>

export const createSandbox = (): Sandbox => createPool(threads, startWorker)

/** It gets nothing of the host: neither its environment nor its loader options. */
function startWorker(): Worker {
  return new Worker(builtEntry('sandbox-worker'), {
    name: 'hookline-sandbox',
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMiB, maxYoungGenerationSizeMb: 32 },
  })
}

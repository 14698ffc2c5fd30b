/**
 * The sandbox of Hookline: a POSIX shell over virtual files, in threads that can be terminated at any time.
 * @module
 */
import { Worker } from 'node:worker_threads'
import { type Sandbox, threads } from 'hookline/internal'
import { createPool } from './pool.ts'

const memoryMiB = 256

export const createSandbox = (): Sandbox => createPool(threads, startWorker)

/** It gets nothing of the host: neither its environment nor its loader options. */
function startWorker(): Worker {
  return new Worker(workerFile(), {
    name: 'hookline-sandbox',
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMiB, maxYoungGenerationSizeMb: 32 },
  })
}

/** The build puts it beside this file; from source, the built one is used. */
function workerFile(): URL {
  const here = import.meta.url
  return new URL(here.endsWith('.ts') ? '../dist/worker.js' : './worker.js', here)
}

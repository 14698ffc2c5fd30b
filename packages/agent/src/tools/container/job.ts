import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Job, type Outcome, signalGroup, workspace as virtualWorkspace } from 'hookline/internal'
import type { Inside, Started } from './kind.ts'

/** Where the script finds its payload, and other files that it brings along. */
const brought = '/run/hooks'

/** A script of a hook, beside the tools of the agent: the workspace is at `/workspace`, as its system has it. */
export async function runJob(
  job: Job,
  workspace: string,
  start: (inside: Inside) => Started,
  signal: AbortSignal,
): Promise<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), 'hookline-hook-'))
  try {
    const moved = await writeFiles(job.files, directory)
    const env = Object.fromEntries(Object.entries(job.env).map(([key, value]) => [key, moved.get(value) ?? value]))
    const { file, args, end, ...started } = start({
      command: job.command,
      cwd: virtualWorkspace,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      shows: [
        { source: directory, target: brought },
        { source: workspace, target: virtualWorkspace, writable: true },
        ...job.mounts.map(({ source, target, mode }) => ({ source, target, writable: mode === 'rw' })),
      ],
    })
    return await finish(spawn(file, args, { env: started.env, detached: true }), job, end, signal)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** By where the script expects each: where it is. */
async function writeFiles(files: Job['files'], directory: string): Promise<Map<string, string>> {
  const moved = new Map<string, string>()
  for (const [path, content] of Object.entries(files)) {
    const name = `${moved.size}-${path.split('/').at(-1)}`
    await writeFile(join(directory, name), content)
    moved.set(path, `${brought}/${name}`)
  }
  return moved
}

function finish(
  child: ReturnType<typeof spawn>,
  { stdin, outputLimit }: Job,
  end: (() => void) | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const texts = { stdout: '', stderr: '' }
  let flooded = false
  const stop = () => {
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
    end?.()
  }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
      flooded ||= texts.stdout.length + texts.stderr.length > outputLimit
      if (flooded) stop()
    })
  child.stdin?.on('error', () => {})
  child.stdin?.end(stdin)
  return new Promise((resolve, reject) => {
    const abort = () => {
      stop()
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    child.on('error', reject)
    child.on('close', (exit) => {
      signal.removeEventListener('abort', abort)
      if (flooded) resolve({ kind: 'flooded', detail: `it printed more than ${outputLimit} bytes` })
      else resolve({ kind: 'done', exit: exit ?? 137, ...texts, changed: new Map(), removed: [] })
    })
  })
}

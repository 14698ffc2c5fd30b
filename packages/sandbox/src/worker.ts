import { parentPort } from 'node:worker_threads'
import { type Job, type Outcome, sandboxReady as ready, type SandboxSettings as Settings } from 'hookline/internal'
import { compare, restore, watch } from './keep.ts'
import { makeShell, type Shell, withMounts } from './shell.ts'

/** The thread that runs scripts, one at a time, each in a shell that nothing has run in before. */
const spare: { key?: string; shell?: Shell } = {}

parentPort?.on('message', async (job: Job) => {
  parentPort?.postMessage(await run(job))
  prepare(job.settings)
})
await warmUp()
parentPort?.postMessage(ready)

async function run(job: Job): Promise<Outcome> {
  try {
    const shell = take(job.settings)
    for (const [path, text] of Object.entries(job.files)) shell.files.writeFileSync(path, text)
    await restore(shell.files, job.kept)
    const before = new Set(shell.files.getAllPaths())
    const touched = watch(shell.files)
    const bash = withMounts(shell, job.mounts, job.settings)
    const { exitCode, stdout, stderr } = await bash.exec(job.command, {
      stdin: job.stdin,
      env: job.env,
      rawScript: true,
      ...(job.cwd === undefined ? {} : { cwd: job.cwd }),
    })
    const stop = boundHit(exitCode, stderr) ?? tooLong(stdout, stderr, job.outputLimit)
    if (stop) return stop
    return { kind: 'done', exit: exitCode, stdout, stderr, ...(touched() ? await leftBy(job, shell, before) : nothing) }
  } catch (error) {
    return { kind: 'stopped', detail: error instanceof Error ? error.message : String(error) }
  }
}

const nothing = { changed: new Map(), removed: [] }

async function leftBy(job: Job, { files }: Shell, before: ReadonlySet<string>) {
  if (job.payloadPath !== undefined) await files.rm(job.payloadPath, { recursive: true, force: true })
  return compare(files, before, job)
}

/**
 * just-bash ends a script that goes over a bound with exit 126 and a last line on stderr; what was printed until then
 * is half an answer and must not be read as one.
 */
function boundHit(exit: number, stderr: string): Outcome | undefined {
  if (exit !== 126 && exit !== 124) return undefined
  const detail = /^bash: (.*(?:limit|exceeded|too many|maximum).*)\n?$/m.exec(stderr)?.[1]?.replace(/, increase .*/, '')
  return detail === undefined ? undefined : { kind: /output size/.test(detail) ? 'flooded' : 'stopped', detail }
}

function tooLong(stdout: string, stderr: string, limit: number): Outcome | undefined {
  const bytes = { stdout: Buffer.byteLength(stdout), stderr: Buffer.byteLength(stderr) }
  if (bytes.stdout + bytes.stderr <= limit) return undefined
  const detail = `it printed more than ${limit} bytes (stdout=${bytes.stdout}, stderr=${bytes.stderr})`
  return { kind: 'flooded', detail }
}

function take(settings: Settings): Shell {
  const { key, shell } = spare
  delete spare.shell
  return shell && key === JSON.stringify(settings) ? shell : makeShell(settings)
}

/** Making a shell takes longer than most scripts do, so the next one is made between two jobs. */
function prepare(settings: Settings): void {
  spare.key = JSON.stringify(settings)
  spare.shell = makeShell(settings)
}

/** just-bash loads its commands when they are first used. */
async function warmUp(): Promise<void> {
  const settings: Settings = { limits: {}, allow: [] }
  await makeShell(settings).bash.exec(
    `echo '{"a":"b"}' | jq -r .a | grep -E b | sed s/b/c/ | head -n 1 | cat; printf x`,
  )
  prepare(settings)
}

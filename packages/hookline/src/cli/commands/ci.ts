import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { projectRoot } from '../../config/index.ts'
import { HooklineError, isRecord, note, stringifyJson } from '../../core/index.ts'
import { connectDaemon } from '../../daemon/index.ts'
import { entryPath, withoutDaemon } from '../../install/index.ts'
import type { Entry } from '../../journal/index.ts'
import { queryJournal } from '../../journal/index.ts'
import { homeDirectory, makeDirectory, realPath } from '../../platform/index.ts'
import { canonicalJson, type Inspection, isInside, openTrust, type Subject } from '../../trust/index.ts'
import { defineCommand, text, UsageError } from '../command.ts'
import { configOptions, workingDirectory } from '../configured.ts'
import { inspectHooks } from '../inspect-hooks.ts'
import { journalToRead, partsToRead } from '../journal-for.ts'
import { readingOptions } from '../journal-options.ts'
import { gistOf } from '../text/entries.ts'
import { count } from '../text/layout.ts'

export const command = defineCommand({
  name: 'ci',
  summary: 'Run an agent in a pipeline: nobody is asked, the policy is pinned, and what was decided is kept.',
  usage: 'ci [--policy <digest>] [--out <directory>] -- <command> …',
  doc: [
    'Runs a command, such as an agent in which Hookline is installed, where no person is. The digest of the policy covers every',
    'rule and hook that counts here, and every byte of theirs that runs, wherever the project lies: `hookline ci` without a command prints',
    'it. Hooks of your own count too; print it without them, as in `HOME=$(mktemp -d) hookline ci`. With `--policy`, a policy',
    'with another digest ends the job before anything runs; with the right one, it is approved for this machine, and so needs no person.',
    'No daemon is started or used: every call of the agent is a process of its own.',
    '',
    'Afterwards `decisions.jsonl` and `summary.md` are in the directory; in GitHub Actions the summary is shown with the job.',
  ].join('\n'),
  options: {
    policy: { value: 'digest', doc: 'The policy that must be in force: what `hookline ci` prints.' },
    out: { value: 'directory', doc: 'Where the artefacts go. Default: hookline-ci.' },
    ...configOptions,
    journal: readingOptions.journal,
    json: { doc: 'Without a command: print one JSON object: policy, hooks.' },
  },
  examples: [
    'hookline ci',
    'hookline ci --policy sha256:… -- claude -p "Fix the failing test" --permission-mode acceptEdits',
  ],
  exits: {
    1: 'The policy is not the pinned one, or could not be read; nothing ran. Otherwise the exit code is that of the command.',
    64: 'Wrong usage.',
  },
  async run(invocation) {
    const { values, positionals, output, errors } = invocation
    const trust = openTrust()
    const { inspections, brought } = await inspectHooks(trust, invocation, { cached: false })
    const cwd = workingDirectory(values)
    const digest = policyOf(inspections, realPath(projectRoot(cwd, homeDirectory()) ?? cwd))
    const pinned = text(values['policy'])
    if (positionals.length === 0 && pinned === undefined) {
      const hooks = inspections.map(({ hook }) => hook.id)
      output.write(values['json'] ? `${JSON.stringify({ policy: digest, hooks })}\n` : `${digest}\n`)
      return 0
    }
    if (positionals.length === 0) throw new UsageError('Which command? `hookline ci --policy … -- claude -p "…"`.')
    if (pinned !== undefined && pinned !== digest) throw new HooklineError(note('policy-differs', { pinned, digest }))
    if (pinned !== undefined) {
      const open = inspections.filter(
        ({ state }) => state === 'not-approved' || state === 'changed' || state === 'holds',
      )
      await trust.approve(open, [...inspections, ...brought], 'token')
    }
    const begin = new Date().toISOString()
    await stopDaemon()
    const restore = withoutDaemon(entryPath())
    const exit = await run(positionals).finally(restore)
    const entries: Entry[] = []
    for await (const entry of queryJournal(partsToRead(await journalToRead(invocation)), { since: begin }))
      entries.push(entry)
    const directory = resolve(text(values['out']) ?? 'hookline-ci')
    const summary = summaryOf(entries, digest, pinned !== undefined)
    makeDirectory(directory, 0o755)
    writeFileSync(join(directory, 'decisions.jsonl'), entries.map((entry) => `${stringifyJson(entry)}\n`).join(''))
    writeFileSync(join(directory, 'summary.md'), summary)
    const shown = process.env['GITHUB_STEP_SUMMARY']
    if (shown) appendFileSync(shown, summary)
    errors.write(summary)
    return exit
  },
})

/** One that was started before, by the proof of an installation. Where it goes on all the same, nobody calls it. */
async function stopDaemon(): Promise<void> {
  const connection = await connectDaemon()
  await connection?.stop().catch(() => {})
  connection?.close()
}

/** What every rule and hook here comes to, whatever order their files are found in, and wherever the project lies. */
function policyOf(inspections: readonly Inspection[], root: string): string {
  const hash = createHash('sha256')
  const lines = inspections.map(({ hook, subject }) => `${hook.event} ${canonicalJson(anywhere(subject, root))}\n`)
  for (const line of lines.sort()) hash.update(line)
  return `sha256:${hash.digest('hex')}`
}

/** The same on every machine: places within the project, which files may be run, and programs of the machine by name. */
function anywhere({ file, files, programs, ...subject }: Subject, root: string): unknown {
  const placed = (path: string) => (isInside(path, root) ? relative(root, path) : path)
  return {
    ...subject,
    file: file === null ? null : placed(file),
    files: files.map((each) =>
      'missing' in each
        ? { ...each, path: placed(each.path) }
        : { path: placed(each.realpath), sha256: each.sha256, runs: (each.mode & 0o100) !== 0 },
    ),
    programs: programs.map(({ name, realpath }) => ({
      name: placed(name),
      path: realpath !== null && isInside(realpath, root) ? relative(root, realpath) : null,
    })),
  }
}

/** Nobody is there to ask, and what it starts knows that. */
function run([program = '', ...args]: readonly string[]): Promise<number> {
  return new Promise((done, fail) => {
    const env = { ...process.env, CI: process.env['CI'] ?? '1' }
    const child = spawn(program, args, { stdio: 'inherit', env })
    child.on('error', (error) => fail(new UsageError(`\`${program}\` could not be started: ${error.message}`)))
    child.on('close', (code, signal) => done(signal ? 1 : (code ?? 1)))
  })
}

function summaryOf(entries: readonly Entry[], digest: string, isPinned: boolean): string {
  const denied = entries.filter(({ outcome }) => outcome === 'deny' || outcome === 'halt')
  const failed = entries.filter(({ hooks }) => hooks.some(({ failure }) => failure !== undefined))
  return [
    '## Hookline',
    '',
    `${count(entries.length, 'decision')}, ${denied.length} blocked, ${count(failed.length, 'event')} with a hook that failed.`,
    `Policy ${digest}${isPinned ? ', as pinned' : ', not pinned'}.`,
    ...(denied.length > 0 ? ['', '| when | agent | blocked | why |', '|---|---|---|---|'] : []),
    ...denied.slice(0, 50).map((entry) => row(entry)),
    '',
  ].join('\n')
}

function row({ time, host, event, tool_name: tool, actions = [], decision, halt, payload }: Entry): string {
  const input = isRecord(payload) && isRecord(payload['tool_input']) ? payload['tool_input'] : {}
  const what = actions.join(', ') || [tool ?? event, gistOf(input) ?? ''].join(' ').trim()
  const why = decision?.reason ?? halt?.reason ?? ''
  return `| ${[time, host?.name ?? '', what, why].map(cell).join(' | ')} |`
}

const cell = (said: string): string => said.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 200)

/** Tasks of the workspace: what `make x`, `just x` and `task x` run is judged by what stands in their files. */
import { flagValues, hasFlag, lookup, parseArguments, readOptions } from '../../../shell/index.ts'
import { MOST_SCRIPT_STEPS, spendOnText, spendWithin } from '../budget.ts'
import { DEEPEST_SCRIPT, depthOf, shellIn, walkFollowed } from '../followed.ts'
import { resolvePath } from '../places.ts'
import { isKnown, stream } from '../text.ts'
import type { Call } from '../types.ts'
import { parseJust } from './just.ts'
import { parseMake } from './make.ts'
import { nearestFile } from './nearest.ts'
import { followPackageScript } from './package.ts'
import type { Given, Task, TaskFile } from './task.ts'
import { parseTaskfile } from './taskfile.ts'

interface Runner {
  names: readonly string[]
  options: string
  /** Options that name the file, and the directory to work in. */
  file: string
  folder: string
  /** With one of these it runs nothing. */
  idle: string
  /** Looked for in the directories above, too. */
  upwards: boolean
  /** Words behind the first are handed to that task, and are no tasks themselves. */
  one?: true
  parse(text: string, given: Given): TaskFile
}

const make: Runner = {
  names: ['GNUmakefile', 'makefile', 'Makefile'],
  options: '-f:C:I:o:W:l::j:: --file= --makefile= --directory= --include-dir= --old-file= --what-if= --eval=',
  ...{ file: 'f|--file|--makefile', folder: 'C|--directory', upwards: false, parse: parseMake },
  idle: 'n|--dry-run|--just-print|--recon|q|--question|t|--touch',
}
const just: Runner = {
  names: ['justfile', 'Justfile', '.justfile', 'JUSTFILE'],
  options: '-f:d:c:e: --justfile= --working-directory= --set= --shell= --color= --dump-format=',
  ...{ file: 'f|--justfile', folder: 'd|--working-directory', upwards: true, one: true, parse: parseJust },
  idle: 'n|l|s|--dry-run|--list|--show|--summary|--dump|--evaluate|--variables|--fmt|--init',
}
const task: Runner = {
  names: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml'],
  options: '-t:d:o:c:C:I: --taskfile= --dir= --output= --concurrency= --interval= --sort=',
  ...{ file: 't|--taskfile', folder: 'd|--dir', upwards: true, parse: parseTaskfile },
  idle: 'n|l|a|--dry|--list|--list-all|--summary|--status|--init|i',
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  ...{ make, gmake: make, remake: make, just, task, 'go-task': task },
}

/** Files are small and tasks few: what goes on beyond that is not followed, as with every program. */
const MOST_TASKS = 40
const MOST_STEPS_OF_TASKS = 120
const MOST_INCLUDES = 4

export function followTasks(call: Call): void {
  followPackageScript(call)
  const { run, name } = call
  const runner = lookup(RUNNERS, name)
  if (!runner || !run.disk || run.elsewhere || depthOf(run) >= DEEPEST_SCRIPT) return
  const args = parseArguments(call.args, readOptions(runner.options))
  if (hasFlag(args, runner.idle) || !call.args.every(({ text }) => isKnown(text))) return
  const [folder] = flagValues(args, runner.folder)
  const [file] = flagValues(args, runner.file)
  const found = nearestFile(file ? [file.text] : runner.names, folder?.text, call, runner.upwards && !file)
  if (!found) return
  spendOnText(run, found.text.length, 16)
  const words = args.operands.map(({ text }) => text)
  const variables = new Map(words.map(assignment).filter((each) => each !== undefined))
  const plain = words.filter((word) => assignment(word) === undefined)
  const given = { variables, args: runner.one ? plain.slice(1) : [] }
  const tasks = readTasks(runner, found, given, call)
  const wanted =
    plain.length === 0 ? (tasks.first === undefined ? [] : [tasks.first]) : runner.one ? plain.slice(0, 1) : plain
  walkTasks(wanted, tasks, found.directory, call)
}

const assignment = (word: string): [string, string] | undefined => {
  const [, name, value] = /^([\w.-]+)=(.*)$/s.exec(word) ?? []
  return name === undefined || value === undefined ? undefined : [name, value]
}

/** With the files that it takes in. */
function readTasks(
  runner: Runner,
  { directory, text }: { directory: string; text: string },
  given: Given,
  { run, state }: Call,
): TaskFile {
  const own = runner.parse(text, given)
  const others = own.includes.slice(0, MOST_INCLUDES).flatMap((name) => {
    const path = isKnown(name) ? resolvePath(name, { ...state, cwd: directory }) : undefined
    const more = path === undefined ? undefined : run.disk?.read(path)
    if (more === undefined) return []
    spendOnText(run, more.length, 16)
    return [...runner.parse(more, given).tasks]
  })
  return { ...own, tasks: new Map([...others, ...own.tasks]) }
}

/** What a task needs comes first; each task runs once. */
function walkTasks(wanted: readonly string[], { tasks }: TaskFile, directory: string, call: Call): void {
  const done = new Set<string>()
  const label = [call.name, ...wanted].join(' ').slice(0, 80)
  let left = MOST_STEPS_OF_TASKS
  const walk = (name: string, follow: (step: string) => void): void => {
    const found = tasks.get(name) ?? byPattern(name, tasks)
    if (!found || done.has(name) || done.size >= MOST_TASKS) return
    done.add(name)
    for (const need of found.needs) walk(need, follow)
    for (const step of found.steps) if (left-- > 0) follow(step)
  }
  spendWithin(call.run, MOST_SCRIPT_STEPS, (budget) => {
    const within = { ...call, run: { ...call.run, budget } }
    for (const name of wanted)
      walk(name, (step) => walkFollowed(stream(step), shellIn(directory, call.state), within, label))
  })
}

/** `%.o: %.c`, `release-*`. */
function byPattern(name: string, tasks: TaskFile['tasks']): Task | undefined {
  for (const [pattern, found] of tasks) {
    const at = pattern.search(/[%*]/)
    if (at < 0) continue
    const [start, end] = [pattern.slice(0, at), pattern.slice(at + 1)]
    if (name.length >= pattern.length && name.startsWith(start) && name.endsWith(end)) return found
  }
  return undefined
}

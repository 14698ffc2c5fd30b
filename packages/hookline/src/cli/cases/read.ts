import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Path, parseConfig, projectDirectories, readText, shortened } from '../../config/index.ts'
import {
  didYouMean,
  type Explanation,
  eventNames,
  findEvent,
  formatPath,
  type Note,
  note,
  validate,
  type Where,
} from '../../core/index.ts'
import { compilePattern } from '../../core/regex.ts'
import { homeDirectory } from '../../platform/index.ts'
import { patternIn } from './judge.ts'
import { caseFileSchema, type Expectation, type Given } from './schema.ts'

const endings = ['.yaml', '.yml', '.json']

/** Where a project keeps its cases: `hookline.test.yaml`, and every file in `.hookline/tests/`. */
export function findCaseFiles(cwd: string): string[] {
  return projectDirectories(resolve(cwd), homeDirectory())
    .flatMap((directory) => [
      ...endings.map((ending) => join(directory, `hookline.test${ending}`)).filter((file) => existsSync(file)),
      ...filesIn(join(directory, '.hookline', 'tests')),
    ])
    .map((file) => shortened(file, process.cwd()))
}

/** Where the hooks of these cases run: the project that the file belongs to. */
export function projectOf(file: string): string {
  const directory = dirname(resolve(file))
  const isOurs = basename(directory) === 'tests' && basename(dirname(directory)) === '.hookline'
  return isOurs ? dirname(dirname(directory)) : directory
}

function filesIn(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => !name.startsWith('.') && endings.some((ending) => name.endsWith(ending)))
    .sort()
    .map((name) => join(directory, name))
}

export interface Step {
  given: Given
  times: number
  expect: Expectation
  /** Where a part of it is written. */
  locate(path: Path): Where
}

export interface Case {
  name: string
  file: string
  where: Where
  steps: Step[]
}

export interface CaseFile {
  file: string
  /** As they are written, from the directory of the file. */
  config?: string[]
  cases: Case[]
  problems: Note[]
}

/** One file of cases, with everything that is wrong with it. */
export async function readCases(file: string): Promise<CaseFile> {
  const broken = (...problems: Note[]): CaseFile => ({ file, cases: [], problems })
  const read = await readText(file)
  if (!read.ok)
    return broken(
      read.problem.code === 'config-missing' ? note('cases-missing', { file }, { where: { file } }) : read.problem,
    )
  const parsed = await parseConfig(read.text, file, 'native')
  if (!parsed.ok) return broken(parsed.problem)
  const { document, locate } = parsed
  const checked = validate(caseFileSchema, document)
  if (!checked.ok) return broken(...checked.problems.map((problem) => problemOf(problem, file, locate)))
  const { config, cases } = checked.value
  const shape = (path: Path, detail: string, fix: string) =>
    note('config-shape', { path: formatPath(path), detail, fix }, { where: locate(path) })
  const problems: Note[] = []
  const names = new Set<string>()
  const found = cases.map(({ name, steps, ...single }, at): Case => {
    const here = ['cases', at]
    if (names.has(name))
      problems.push(shape([...here, 'name'], 'is the name of another case', 'Say what is special about it.'))
    names.add(name)
    if (steps && (single.given || single.expect || single.times))
      problems.push(
        shape([...here, 'steps'], 'stands beside a `given` of its own', 'Make that the first of the steps.'),
      )
    if (!steps && !single.given)
      problems.push(shape(here, 'has no `given`', 'Write what happens: `given: { tool: shell, command: ls }`.'))
    const all = steps?.map((step, index) => ({ step, path: [...here, 'steps', index] })) ?? [
      { step: single, path: here },
    ]
    if (!all.some(({ step }) => Object.keys(step.expect ?? {}).length > 0))
      problems.push(shape(here, 'expects nothing', 'Write what must come of it: `expect: { decision: deny }`.'))
    return {
      name,
      file,
      where: locate(here),
      steps: all.map(({ step: { given = {}, times = 1, expect = {} }, path }) => {
        const place = (rest: Path) => locate([...path, ...rest])
        problems.push(...givenProblems(given, place), ...patternProblems(expect, place))
        return { given, times, expect, locate: place }
      }),
    }
  })
  return { file, cases: found, problems, ...(config !== undefined && { config: [config].flat() }) }
}

function problemOf({ path, detail, fix, unknownKey }: Explanation, file: string, locate: (path: Path) => Where): Note {
  const where = locate(path)
  if (!unknownKey) return note('config-shape', { path: formatPath(path) || file, detail, fix }, { where })
  const { key, known } = unknownKey
  return note('config-unknown-key', { key, hint: didYouMean(key, known), known: known.join(', ') }, { where })
}

/** An event of a dialect is named as that system names it, which its codec checks. */
function givenProblems({ event, dialect, host, ...rest }: Given, place: (path: Path) => Where): Note[] {
  const where = place(event === undefined ? ['given'] : ['given', 'event'])
  if (event !== undefined && dialect === undefined && !findEvent(event))
    return [
      note(
        'unknown-event',
        { event, hint: didYouMean(event, eventNames), known: 'docs/events.md lists them' },
        { where },
      ),
    ]
  const detail =
    host !== undefined && dialect !== undefined
      ? { detail: 'names a host and a dialect', fix: 'A host has its own dialect: leave `dialect` out.' }
      : unclear(event, dialect ?? (rest.payload && host), rest)
  return detail === undefined ? [] : [note('config-shape', { path: 'given', ...detail }, { where })]
}

function unclear(
  event: string | undefined,
  dialect: string | undefined,
  given: Given,
): { detail: string; fix: string } | undefined {
  const { tool, command, input, prompt, payload } = given
  if (dialect !== undefined && (tool ?? command ?? input ?? prompt) !== undefined)
    return { detail: 'mixes a dialect with a short form', fix: 'Write the whole payload, as that system sends it.' }
  if (tool === undefined && (command ?? input) !== undefined && payload?.['tool_name'] === undefined)
    return { detail: 'has arguments, but no tool', fix: 'Name it: `tool: shell`.' }
  if (
    event === undefined &&
    dialect === undefined &&
    tool === undefined &&
    prompt === undefined &&
    payload?.['event'] === undefined
  )
    return {
      detail: 'does not say which event it is',
      fix: 'Write `event: stop`, or use a short form: `tool:` or `prompt:`.',
    }
  return undefined
}

function patternProblems(expect: Expectation, place: (path: Path) => Where): Note[] {
  return Object.entries(expect).flatMap(([key, value]) =>
    [value].flat().flatMap((text) => {
      const pattern = typeof text === 'string' ? patternIn(text) : undefined
      const compiled = pattern === undefined ? undefined : compilePattern(pattern, false)
      if (pattern === undefined || !compiled || compiled.ok) return []
      return [note('matcher-regex', { what: key, pattern, detail: compiled.detail }, { where: place(['expect', key]) })]
    }),
  )
}

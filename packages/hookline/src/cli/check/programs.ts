import { constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { LocateIn } from '../../config/index.ts'
import { type Dialect, type Event, type Hook, HookFailure, type Note, note, type Where } from '../../core/index.ts'
import { findOnPath, headOf, isAllowed, launchScript } from '../../executors/command/index.ts'
import { type Executors, executorRow } from '../../executors/index.ts'
import { runsScripts } from '../../shell/index.ts'
import { type Named, namedPrograms, type Variables } from './named-programs.ts'

export { namedPrograms }

export interface Finding extends Note {
  /** A note is worth knowing, and no problem however strict one is. */
  severity: 'error' | 'warning' | 'note'
}

/** What is wrong with a program: in words, and what to do. */
interface Flaw {
  program: string
  detail: string
  fix: string
}

interface Place {
  cwd: string
  /** The directory of the config file, where a relative path is often meant to begin. */
  beside: string
  env: Variables
}

/** Checks, for each hook that starts a program, that there is one to start. Nothing is run. */
export function programChecker(
  cwd: string,
  dialects: ReadonlyMap<string, Dialect>,
  locateIn: LocateIn = () => undefined,
): (hook: Hook) => Finding[] {
  const variables = remembering<Variables>()
  const directories = remembering<string>()
  const kinds = remembering<ReturnType<typeof kindOf>>()
  const known = remembering<ReturnType<typeof flawsOf>>()
  return (hook) => {
    if (!startsProgram(hook)) return []
    const { command, args, lend_jq: lendsJq } = hook.run
    const about = () => ({ hook: hook.id, where: commandPlace(hook, locateIn) })
    const directory = hook.workingDir === undefined ? cwd : resolve(cwd, hook.workingDir)
    if (kinds(directory, () => kindOf(directory)) !== 'directory')
      return [{ ...note('working-dir-missing', { directory, used: cwd }, about()), severity: 'warning' }]
    const key = `${hook.dialect} ${hook.event}`
    const given = variables(key, () => ({
      ...process.env,
      ...dialectVariables(dialects.get(hook.dialect), hook, cwd),
    }))
    const file = hook.origin.where?.file ?? 'code'
    const place = {
      cwd: directory,
      beside: directories(file, () => dirname(resolve(file))),
      env: Object.keys(hook.env).length > 0 ? { ...given, ...hook.env } : given,
    }
    const words = Array.isArray(args) ? [command, ...args.map(String)] : command
    const same = JSON.stringify([key, place.cwd, place.beside, hook.env, words, lendsJq])
    return known(same, () => flawsOf(words, place, lendsJq === true)).map(({ first, ...flaw }) => ({
      ...note('program-missing', first ? always(flaw) : flaw, about()),
      severity: first ? 'error' : 'warning',
    }))
  }
}

/** The programs that a script calls where those of this machine are out of its reach, and that are not among its own. */
export function notOffered(hook: Hook, executors: Executors, locateIn: LocateIn): Note[] {
  const { type, ...spec } = hook.run
  const offered = hook.enabled ? executors[type]?.offers?.(spec) : undefined
  if (!offered || typeof spec['command'] !== 'string') return []
  const { programs, moves } = namedPrograms(spec['command'], hook.env)
  const missing = programs.map(({ name }) => name).filter((name) => !name.includes('/') && !offered.includes(name))
  if (moves.path || missing.length === 0) return []
  const names = [...new Set(missing)].map((name) => `\`${name}\``)
  const detail = `there is no ${inWords(names)} in it, and programs of this machine are out of its reach`
  return [note('sandbox-limit', { detail }, { hook: hook.id, where: commandPlace(hook, locateIn) })]
}

/** `a`, `a and b`, `a, b and c`. */
const inWords = (names: readonly string[]) =>
  [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ')

/** Whether it is on, and a program of this machine is what it runs. */
export const startsProgram = (hook: Hook): hook is Hook & { run: { command: string } } =>
  hook.enabled && typeof hook.run['command'] === 'string' && executorRow(hook.run.type)?.startsPrograms === true

const always = ({ detail, ...flaw }: Flaw) => ({ ...flaw, detail: `${detail}, so the hook fails whenever it runs` })

function flawsOf(command: string | string[], place: Place, lendsJq: boolean): (Flaw & { first: boolean })[] {
  const { programs, moves } = namedPrograms(command, place.env)
  return programs.flatMap((named, at) => {
    const { name, first } = named
    if (lendsJq && name === 'jq') return []
    if (name.includes('/') ? moves.directory && !name.startsWith('/') : moves.path) return []
    const alone = programs.length === 1 || (at === 0 && typeof command !== 'string')
    const flaw = programFlaw(name, place, alone) ?? (moves.directory ? undefined : operandFlaw(named, place))
    return flaw ? [{ ...flaw, first }] : []
  })
}

/** `alone`: nothing but this program is run, so that a script without execute bit is handed to its interpreter. */
function programFlaw(name: string, place: Place, alone: boolean): Flaw | undefined {
  if (!name.includes('/')) {
    if (onPath(name, place.env['PATH'])) return undefined
    const script = kindOf(resolve(place.cwd, name)) === 'file'
    const fix = script ? `There is a file of that name: write \`./${name}\`.` : `Install ${name}, or correct the name.`
    return { program: name, detail: 'is not on PATH', fix }
  }
  const path = resolve(place.cwd, name)
  const missing = fileFlaw(name, path, place)
  if (missing) return missing
  const wanted = wantedOfEnv(path)
  if (wanted !== undefined && !onPath(wanted, place.env['PATH']))
    return { program: name, detail: `wants ${wanted}, which is not on PATH`, fix: `Install ${wanted}.` }
  try {
    if (launchScript(path, [], place.env['PATH']) && alone) return undefined
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error
    return { program: name, detail: `cannot be started: ${error.message.replace(/\.$/, '')}`, fix: error.remedy ?? '' }
  }
  if (isAllowed(path, constants.X_OK)) return undefined
  return { program: name, detail: 'is not executable', fix: `Run \`chmod +x ${name}\`.` }
}

/** The interpreter that a script names to `env`: `#!/usr/bin/env python3`. */
function wantedOfEnv(path: string): string | undefined {
  const [first = ''] = (headOf(path)?.toString('utf8') ?? '').split('\n', 1)
  return /^#![ \t]*\S*\/env[ \t]+(?:-S[ \t]*)?(?:\w+=\S*[ \t]+)*([\w.+-]+)/.exec(first)?.[1]
}

/** The script that an interpreter is to run: `python3 hooks/guard.py`. */
function operandFlaw({ name, args }: Named, place: Place): Flaw | undefined {
  if (!runsScripts(name, true)) return undefined
  const at = args.findIndex((arg) => !arg?.startsWith('-'))
  const operand = args[at]
  // After an option the word may be its value, and code is no file.
  if (operand === undefined || at > 0 || !/[/.]/.test(operand) || /^~|[\n*?]/.test(operand)) return undefined
  return fileFlaw(operand, resolve(place.cwd, operand), place)
}

function fileFlaw(written: string, path: string, { cwd, beside }: Place): Flaw | undefined {
  const kind = kindOf(path)
  if (kind === 'file') return undefined
  if (kind === 'directory') return { program: written, detail: 'is a directory', fix: 'Name a program in it.' }
  if (written.startsWith('/')) return { program: written, detail: 'does not exist', fix: 'Correct the path.' }
  const detail = `does not exist in ${cwd}, where the hook runs`
  if (kindOf(resolve(beside, written)) !== 'file') return { program: written, detail, fix: 'Correct the path.' }
  const fix = `It exists beside the config: write \`${resolve(beside, written)}\`, or let the hook run in ${beside}.`
  return { program: written, detail, fix }
}

const found = remembering<boolean>()
const onPath = (name: string, path: string | undefined): boolean =>
  found(`${name}\0${path}`, () => findOnPath(name, path) !== undefined)

/** Looks once for each key: a thousand hooks are in few directories, and start few programs. */
function remembering<T>(): (key: string, look: () => T) => T {
  const known = new Map<string, T>()
  return (key, look) => {
    if (!known.has(key)) known.set(key, look())
    return known.get(key) as T
  }
}

function kindOf(path: string): 'file' | 'directory' | undefined {
  try {
    return statSync(path).isDirectory() ? 'directory' : 'file'
  } catch {
    return undefined
  }
}

/** The variables a hook of this dialect would have: what its system calls the directory of the project, above all. */
function dialectVariables(dialect: Dialect | undefined, hook: Hook, cwd: string): Variables {
  const payload = { cwd, project_dir: cwd, session_id: 'check', tool_name: '', tool_input: {} }
  const event = { name: hook.event, payload, depth: 0, synthetic: true } as unknown as Event
  try {
    return dialect?.event.encode(event, hook).env ?? {}
  } catch {
    return {}
  }
}

/** Where the command is written: dialects put it under `run`, or right into the entry. */
function commandPlace(hook: Hook, locateIn: LocateIn): Where {
  const entry = hook.origin.where
  const deeper = [['run', 'command'], ['command']]
    .map((path) => locateIn(hook, path))
    .find((where) => where && (where.line !== entry?.line || where.column !== entry?.column))
  return deeper ?? entry ?? { file: 'code' }
}

import { dirname, resolve } from 'node:path'
import { type Hook, isRecord } from '../core/index.ts'
import { type Pinned, Pins, type Place } from './pins.ts'
import { isInterpreter, isShell, programOf } from './programs.ts'
import { type SimpleCommand, shellCommands, type Word } from './shell-words.ts'

/** What a run of each type executes besides its definition. Types that are not here run what they say and nothing else. */
const pinners: Record<string, (hook: Hook, pins: Pins) => void> = {
  command: pinProgram,
  resident: pinProgram,
  function: ({ run, origin }, pins) => {
    const module = run['module']
    if (typeof module !== 'string') return
    const file = module.replace(/#.*$/s, '')
    pins.file(resolve(origin.where ? dirname(origin.where.file) : pins.place.directory, file))
  },
  builtin: ({ run }, pins) => {
    const args = isRecord(run['args']) ? run['args']['command'] : undefined
    const words = typeof args === 'string' ? args.split(/\s+/) : args
    if (Array.isArray(words))
      pinCommand({ words: words.map((text) => ({ raw: String(text), text: String(text) })) }, pins)
  },
}

export function pinnedBy(hook: Hook, place: Place): Pinned {
  const pins = new Pins(place, hook)
  pinners[hook.run.type]?.(hook, pins)
  for (const name of Object.keys(hook.env)) {
    if (/^(?:LD|DYLD)_/.test(name))
      pins.found.refused.push(`its \`env\` sets ${name}, which loads code into every program it starts`)
    else if (loadsCode.test(name)) pins.found.unpinned.push(`${name}=${hook.env[name]} makes programs load more code`)
  }
  return pins.found
}

/** Variables by which an interpreter loads or finds code, see the list in executors/environment.ts. */
const loadsCode =
  /^(?:PATH|BASH_ENV|ENV|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|HOME|STARTUP)|PERL5(?:OPT|LIB)|RUBY(?:OPT|LIB)|GIT_\w+|JAVA_TOOL_OPTIONS)$/

function pinProgram({ run }: Hook, pins: Pins): void {
  const { command, args, shell, files } = run
  if (typeof command !== 'string') return
  if (Array.isArray(args))
    pinCommand({ words: [command, ...args].map((text) => ({ raw: String(text), text: String(text) })) }, pins)
  else {
    pins.program(shell === 'bash' || shell === 'auto' ? 'bash' : '/bin/sh')
    pinShell(command, pins)
  }
  if (Array.isArray(files)) for (const file of files) pins.tree(resolve(pins.place.directory, String(file)))
}

function pinShell(source: string, pins: Pins): void {
  for (const command of shellCommands(source, pins.lookup)) pinCommand(command, pins, true)
}

function pinCommand({ words, input }: SimpleCommand, pins: Pins, inShell = false): void {
  const { program, operands, inline, unpinned } = programOf(words, inShell)
  pins.found.unpinned.push(...unpinned)
  if (inline !== undefined) pinShell(inline, pins)
  if (program === undefined) return
  const name = program.text
  if (name === undefined) pins.open(program)
  else if (inShell && (name === 'cd' || name === 'pushd')) pins.enter(operands[0])
  else if (inShell && (name === 'source' || name === '.')) pins.sourced(operands[0])
  else if (isInterpreter(name)) {
    pins.program(name)
    const scripts = operands.length === 0 && input ? [input] : operands
    let expected = true
    for (const word of scripts) expected = !pins.operand(word, expected, isShell(name)) && expected
    if (scripts.length === 0 && inline === undefined && unpinned.length === 0 && !words.some(isQuestion))
      pins.found.unpinned.push(`${name} reads its program from standard input`)
  } else {
    if (name.includes('/')) pins.path(name, true)
    else pins.found.unpinned.push(pins.program(name) ? `${name} is found by its name` : `${name} is not there now`)
    for (const word of operands) pins.operand(word, false, false)
  }
}

/** `node --version` runs no program. */
const isQuestion = ({ text }: Word): boolean => /^(?:-[vVh]|--version|--help)$/.test(text ?? '')

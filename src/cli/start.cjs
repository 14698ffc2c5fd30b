#!/usr/bin/env node
// Runs the command line from its packs (scripts/packs.mjs). What a command has needed is kept together in a file of its
// own, with V8's code cache of it, so that the next run reads little and compiles nothing. CommonJS, because an ES module
// costs Node 20 five milliseconds, a fifth of a bare start.
'use strict'
const fs = require('node:fs')
const { Script } = require('node:vm')

const build = '__BUILD__'
const headerBytes = 4096
const parameters = '__PARAMETERS__'
/** Rooms of a run that reads configs. Those that follow find them read: what it needed would only burden them. */
const reading = ['yaml', 'jsonc-parser', 'zod']
const modules = new Map()
const packs = new Map()
const kept = openKept()

load('start', 'cli/main.cjs')

function load(room, name) {
  let module = modules.get(name)
  if (module) return module.exports
  module = { exports: {}, make: kept?.functions[name] ?? pack(room)[name] }
  modules.set(name, module)
  module.make(module.exports, module)
  return module.exports
}

function from(room, name) {
  let exports
  return () => {
    exports ??= load(room, name)
    return exports
  }
}

function once(make) {
  let made
  return () => {
    made ??= make()
    return made
  }
}

function pack(room) {
  let functions = packs.get(room)
  if (functions) return functions
  const filename = `${__dirname}/cli/${build}/${room}.cjs`
  functions = run(new Script(fs.readFileSync(filename, 'latin1'), { filename }))
  packs.set(room, functions)
  return functions
}

function run(script) {
  return script.runInThisContext()(load, from, once, (name) => import(name), require, __filename)
}

/**
 * One file per command. Code is code: it lies with the approvals, where whoever can write could also approve any hook, and
 * what others could have written is not read. V8 itself would run, or crash on, whatever it finds.
 */
function openKept() {
  const state = process.env.XDG_STATE_HOME?.startsWith('/') ? process.env.XDG_STATE_HOME : home('.local/state')
  if (state === undefined || process.env.NODE_DISABLE_COMPILE_CACHE || isRedirected(state)) return undefined
  const directory = `${state}/hookline/code`
  const command = /^[a-z]+$/.test(process.argv[2] ?? '') ? process.argv[2] : 'other'
  const file = `${directory}/${command}-${build}-${process.version}-${process.arch}`
  const found = read(file)
  process.on('exit', () => {
    if (found?.isCompiled && packs.size === 0 && !hasNews(found)) return
    try {
      keep(directory, command, file, found)
    } catch {
      // Without it every start is slower, and nothing else changes.
    }
  })
  return found
}

function home(below) {
  return process.env.HOME?.startsWith('/') ? `${process.env.HOME}/${below}` : undefined
}

/** What the workspace holds, the workspace could have written; as src/trust/redirected.ts has it for approvals. */
function isRedirected(state) {
  try {
    const here = process.cwd()
    return here !== process.env.HOME && [state, fs.realpathSync.native(state)].some((at) => `${at}/`.startsWith(`${here}/`))
  } catch (error) {
    return error.syscall !== 'realpath'
  }
}

/** A header, the source, and the code cache of it, once a run has compiled it. */
function read(file) {
  let descriptor
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    const { uid, mode, size } = fs.fstatSync(descriptor)
    if (uid !== process.getuid() || (mode & 0o077) !== 0) return undefined
    // One buffer for one after the other: every page that a process touches for the first time costs it microseconds.
    const buffer = Buffer.allocUnsafeSlow(size)
    const part = (from, length) => buffer.subarray(0, fs.readSync(descriptor, buffer, 0, length, from))
    const { source, code, ran, isFirst } = JSON.parse(part(0, headerBytes).latin1Slice())
    if (headerBytes + source.length + code.length !== size) return undefined
    const text = part(headerBytes, source.length)
    if (sampled(text) !== source.sum) return undefined
    const latin1 = text.latin1Slice()
    const cachedData = part(headerBytes + source.length, code.length)
    if (sampled(cachedData) !== code.sum) return undefined
    const script = new Script(latin1, { filename: file, cachedData: code.length > 0 ? cachedData : undefined })
    const isCompiled = code.length > 0 && !script.cachedDataRejected
    return { script, functions: run(script), isFirst, isCompiled, ran: isCompiled ? ran : '' }
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}

/** Whether something ran that had to be compiled. */
const hasNews = ({ functions, ran }) => Object.keys(functions).some((name, at) => modules.has(name) && ran[at] !== '1')

/**
 * The first run reads configs that later ones find read, so the second decides what is kept; what others need beyond
 * it is added. What had to be compiled is kept too.
 */
function keep(directory, command, file, found) {
  const needed = Object.fromEntries([...modules].map(([name, { make }]) => [name, make]))
  const isSettled = found !== undefined && packs.size === 0
  const isExact = isSettled && modules.size === Object.keys(found.functions).length
  if (isSettled && (isExact || !found.isFirst)) {
    const names = Object.keys(found.functions)
    const ran = names.map((name, at) => (modules.has(name) || found.ran[at] === '1' ? '1' : '0')).join('')
    write(directory, command, file, found.functions, { code: found.script.createCachedData(), ran })
  } else if (!found || found.isFirst) {
    write(directory, command, file, needed, { isFirst: !found })
  } else if (!reading.some((room) => packs.has(room))) {
    write(directory, command, file, { ...found.functions, ...needed }, {})
  }
}

function write(directory, command, file, functions, { code = Buffer.alloc(0), ran = '', isFirst = false }) {
  makeDirectory(directory)
  const { uid, mode } = fs.lstatSync(directory)
  if (uid !== process.getuid() || (mode & 0o022) !== 0) return
  const source = Buffer.from(`(function(${parameters}){return{\n${Object.values(functions).join(',\n')}\n}})`, 'latin1')
  const measured = (bytes) => ({ length: bytes.length, sum: sampled(bytes) })
  const header = JSON.stringify({ source: measured(source), code: measured(code), ran, isFirst }).padEnd(headerBytes)
  if (header.length > headerBytes) return
  const draft = `${file}.${process.pid}`
  const descriptor = fs.openSync(draft, 'wx', 0o600)
  try {
    fs.writeSync(descriptor, Buffer.concat([Buffer.from(header, 'latin1'), source, code]))
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
  fs.renameSync(draft, file)
  for (const other of fs.readdirSync(directory))
    if (other.startsWith(`${command}-`) && !other.startsWith(`${command}-${build}-`)) fs.unlinkSync(`${directory}/${other}`)
}

/** Not with `recursive`, which may never return; see src/platform/paths.ts. */
function makeDirectory(path) {
  if (fs.existsSync(path)) return
  makeDirectory(path.slice(0, path.lastIndexOf('/')) || '/')
  try {
    fs.mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

/** Told from a file that a crash of the machine left half empty; V8 does not check. */
function sampled(bytes) {
  let sum = 0
  for (let at = 0; at < bytes.length; at += 4093) sum += bytes[at] * (at & 15)
  return sum
}

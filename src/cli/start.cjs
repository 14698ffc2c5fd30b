#!/usr/bin/env node
// Runs the command line from its packs (scripts/packs.mjs), and keeps V8's code cache of what ran, so that the next run
// does not compile it again. CommonJS, because an ES module costs Node 20 five milliseconds, a fifth of a bare start.
'use strict'
const fs = require('node:fs')
const { Script } = require('node:vm')

const build = '__BUILD__'
/** Of the cache: it says where each part is. Parts begin at multiples of eight, as V8 likes them. */
const headerBytes = 4096
const modules = new Map()
const packs = new Map()
const scripts = new Map()
const cache = openCache()

load('start', 'cli/main.cjs')

function load(room, name) {
  let module = modules.get(name)
  if (module) return module.exports
  module = { exports: {} }
  modules.set(name, module)
  pack(room)[name](module.exports, module)
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
  const cachedData = cache?.find(room)
  const script = new Script(fs.readFileSync(filename, 'latin1'), { filename, cachedData })
  scripts.set(room, script)
  if (cachedData === undefined || script.cachedDataRejected) cache?.renew()
  functions = script.runInThisContext()(load, from, once, (name) => import(name), require, __filename)
  packs.set(room, functions)
  return functions
}

/**
 * One file per command. Compiled code is code: it lies with the approvals, where whoever can write could also approve
 * any hook, and what others could have written is not read. V8 itself would run, or crash on, whatever it finds.
 */
function openCache() {
  const state = process.env.XDG_STATE_HOME?.startsWith('/') ? process.env.XDG_STATE_HOME : home('.local/state')
  if (state === undefined || process.env.NODE_DISABLE_COMPILE_CACHE) return undefined
  const directory = `${state}/hookline/code`
  const command = /^[a-z]+$/.test(process.argv[2] ?? '') ? process.argv[2] : 'other'
  const file = `${directory}/${command}-${build}-${process.version}-${process.arch}`
  const known = readCache(file)
  let renewing = false
  return {
    find: (room) => known?.(room),
    renew() {
      if (renewing) return
      renewing = true
      process.on('exit', () => {
        try {
          writeCache(directory, command, file)
        } catch {
          // Without it every start is slower, and nothing else changes.
        }
      })
    },
  }
}

function home(below) {
  return process.env.HOME?.startsWith('/') ? `${process.env.HOME}/${below}` : undefined
}

function readCache(file) {
  let descriptor
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW)
    const { uid, mode } = fs.fstatSync(descriptor)
    if (uid !== process.getuid() || (mode & 0o077) !== 0) return undefined
    const bytes = fs.readFileSync(descriptor)
    const { length, sum, parts } = JSON.parse(bytes.latin1Slice(0, headerBytes))
    if (length !== bytes.length || sum !== sampled(bytes)) return undefined
    return (room) => parts[room] && bytes.subarray(parts[room][0], parts[room][0] + parts[room][1])
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}

function writeCache(directory, command, file) {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { uid, mode } = fs.lstatSync(directory)
  if (uid !== process.getuid() || (mode & 0o022) !== 0) return
  const parts = {}
  const bodies = []
  let length = headerBytes
  for (const [room, script] of scripts) {
    const data = script.createCachedData()
    parts[room] = [length, data.length]
    const padding = -data.length & 7
    bodies.push(data, Buffer.alloc(padding))
    length += data.length + padding
  }
  const bytes = Buffer.concat([Buffer.alloc(headerBytes, ' '), ...bodies], length)
  bytes.write(JSON.stringify({ length, sum: sampled(bytes), parts }), 0, headerBytes, 'latin1')
  const draft = `${file}.${process.pid}`
  const descriptor = fs.openSync(draft, 'wx', 0o600)
  try {
    fs.writeSync(descriptor, bytes)
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
  fs.renameSync(draft, file)
  for (const other of fs.readdirSync(directory))
    if (other.startsWith(`${command}-`) && !other.startsWith(`${command}-${build}-`)) fs.unlinkSync(`${directory}/${other}`)
}

/** Told from a file that a crash of the machine left half empty; V8 does not check. */
function sampled(bytes) {
  let sum = 0
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
  for (let at = headerBytes >> 2; at < words.length; at += 256) sum = (sum + words[at]) | 0
  return sum
}

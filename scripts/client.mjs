import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './setup.mjs'

/**
 * `npm run client:build` compiles the thin client for every platform that has one, and writes the sums; `client:verify`
 * compiles it again and compares; `client:fuzz` runs its readers on random bytes, with clang. The compiler is Zig from npm,
 * of a fixed version, in a cache (HOOKLINE_ZIG, else ~/.cache/hookline-zig): 400 MB, and the first build of a target takes
 * minutes because its libc is compiled too. Linux x64 only; what it compiles runs elsewhere.
 */
const zigVersion = '0.16.0'
const targets = {
  'linux-x64': ['-target', 'x86_64-linux-musl', '-static'],
  'linux-arm64': ['-target', 'aarch64-linux-musl', '-static'],
  'darwin-x64': ['-target', 'x86_64-macos.11.0'],
  'darwin-arm64': ['-target', 'aarch64-macos.11.0'],
}
const flags = [
  '-std=c11',
  '-Os',
  '-s',
  '-D_GNU_SOURCE',
  '-D_DARWIN_C_SOURCE',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-fno-sanitize=undefined',
]

const sources = join(root, 'packages/client/src')
const binaries = join(root, 'packages/hookline/client')
const program = 'hookline-hook'

const commands = { build, verify, fuzz }
const [name = 'build', ...rest] = process.argv.slice(2)
if (!Object.hasOwn(commands, name)) throw new Error(`There is no ${name}: ${Object.keys(commands).join(', ')}.`)
await commands[name](rest)

function build(only) {
  const chosen = only.length > 0 ? only : Object.keys(targets)
  for (const target of chosen) {
    mkdirSync(join(binaries, target), { recursive: true })
    compile(target, join(binaries, target, program))
  }
  writeFileSync(join(binaries, 'SHA256SUMS'), sums())
  process.stdout.write(sums())
}

function verify(only) {
  if (readFileSync(join(binaries, 'SHA256SUMS'), 'utf8') !== sums())
    throw new Error('SHA256SUMS is not of these files.')
  const scratch = mkdtempSync(join(tmpdir(), 'hookline-client-'))
  try {
    for (const target of only.length > 0 ? only : Object.keys(targets)) {
      // By the same name, which stands in the signature of a program for macOS.
      const again = join(scratch, target, program)
      mkdirSync(join(scratch, target))
      compile(target, again)
      const same = readFileSync(again).equals(readFileSync(join(binaries, target, program)))
      if (!same) throw new Error(`${target} is not what these sources compile to. Run: npm run client:build`)
      console.log(`${target}: the same bytes`)
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Seconds after the word; else a minute. */
function fuzz([seconds = '60']) {
  const scratch = mkdtempSync(join(tmpdir(), 'hookline-fuzz-'))
  const files = ['frame.c', 'table.c'].map((file) => join(sources, file))
  const fuzzer = join(scratch, 'fuzzer')
  const harness = join(root, 'packages/client/fuzz/readers.c')
  run('clang', [
    '-g',
    '-O1',
    '-std=c11',
    '-D_GNU_SOURCE',
    '-fsanitize=fuzzer,address,undefined',
    '-I',
    sources,
    harness,
    ...files,
    '-o',
    fuzzer,
  ])
  run(fuzzer, [`-max_total_time=${seconds}`, '-max_len=4096', '-print_final_stats=1'], { cwd: scratch })
  rmSync(scratch, { recursive: true, force: true })
}

function compile(target, output) {
  const files = readdirSync(sources)
    .filter((file) => file.endsWith('.c'))
    .sort()
  const { zig, lib, cache } = compiler()
  const env = { ...process.env, ZIG_LIB_DIR: lib, ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache }
  run(zig, ['cc', ...targets[target], ...flags, '-o', output, ...files], { cwd: sources, env })
  chmodSync(output, 0o755)
}

function compiler() {
  const cache = process.env.HOOKLINE_ZIG ?? join(homedir(), '.cache/hookline-zig')
  const place = (part) => join(cache, `${part}-${zigVersion}`)
  for (const part of ['linux-x64', 'lib']) {
    if (existsSync(place(part))) continue
    mkdirSync(cache, { recursive: true })
    const scratch = mkdtempSync(join(cache, '.new-'))
    const packed = execFileSync('npm', ['pack', '--silent', `@zigc/${part}@${zigVersion}`], {
      cwd: scratch,
      encoding: 'utf8',
    })
    run('tar', ['xzf', packed.trim()], { cwd: scratch })
    renameSync(join(scratch, 'package'), place(part))
    rmSync(scratch, { recursive: true, force: true })
  }
  const zig = join(place('linux-x64'), 'bin/zig')
  chmodSync(zig, 0o755)
  return { zig, lib: place('lib'), cache: join(cache, 'cache') }
}

function sums() {
  const built = Object.keys(targets).filter((target) => existsSync(join(binaries, target, program)))
  return built.map((target) => `${digest(join(binaries, target, program))}  ${target}/${program}\n`).join('')
}

function digest(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (error?.code === 'ENOENT') throw new Error(`${command} is not installed.`)
  if (status !== 0) throw new Error(`${command} failed.`)
}

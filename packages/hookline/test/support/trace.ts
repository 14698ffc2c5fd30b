import childProcess from 'node:child_process'
import dns from 'node:dns'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { resolve, sep } from 'node:path'
import { promisify } from 'node:util'

/** What was really done while somebody looked: programs started, addresses looked for, paths opened for writing. */
export interface Traced {
  runs: string[]
  sends: string[]
  writes: string[]
}

let traced: Traced | undefined

type Callable = ((...args: unknown[]) => unknown) & { [promisify.custom]?: Callable }
type Target = Record<string, Callable>

/** Calls go on as ever; while somebody traces, they are noted before. */
function watch(target: object, names: readonly string[], note: (args: unknown[]) => void): void {
  const all = target as Target
  const noted = (original: Callable): Callable =>
    function (this: unknown, ...args: unknown[]) {
      if (traced) note(args)
      return original.apply(this, args)
    }
  for (const name of names) {
    const original = all[name]!
    const promised = original[promisify.custom]
    all[name] = Object.assign(noted(original), promised && { [promisify.custom]: noted(promised) })
  }
}

const pathOf = (path: unknown): string => resolve(path instanceof URL ? path.pathname : String(path))
const wrote = (at: number) => (args: unknown[]) => void traced?.writes.push(pathOf(args[at]))

function opened([path, flags = 'r']: unknown[]): void {
  const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = fs.constants
  const isWriting =
    typeof flags === 'number' ? (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) !== 0 : flags !== 'r'
  if (isWriting) traced?.writes.push(pathOf(path))
}

const changing = ['appendFile', 'writeFile', 'mkdir', 'rm', 'rmdir', 'unlink', 'truncate', 'utimes', 'chmod', 'chown']
const linking = ['rename', 'copyFile', 'symlink', 'link', 'cp']

for (const target of [fs, fs.promises]) {
  watch(target, changing, wrote(0))
  watch(target, linking, wrote(1))
  watch(target, ['open'], opened)
}
watch(fs, [...changing.map((name) => `${name}Sync`), 'createWriteStream'], wrote(0))
watch(
  fs,
  linking.map((name) => `${name}Sync`),
  wrote(1),
)
watch(fs, ['openSync'], opened)
const started = ([program]: unknown[]) => void traced?.runs.push(String(program))
watch(childProcess, ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'], started)
const sent = ([to]: unknown[]) => void traced?.sends.push(JSON.stringify(to))
watch(net, ['connect', 'createConnection'], sent)
watch(net.Socket.prototype, ['connect'], sent)
watch(dns, ['lookup', 'resolve', 'resolve4', 'resolve6'], sent)
watch(dns.promises, ['lookup', 'resolve', 'resolve4', 'resolve6'], sent)
syncBuiltinESMExports()

/** Runs work, and gives back all that it did outside of the directories that are ours. */
export async function tracing(ours: string, work: () => Promise<unknown>): Promise<Traced> {
  const found: Traced = { runs: [], sends: [], writes: [] }
  traced = found
  try {
    await work()
  } finally {
    traced = undefined
  }
  return { ...found, writes: found.writes.filter((path) => path !== ours && !path.startsWith(ours + sep)) }
}

import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Metadata, MetadataKind } from '@tufjs/models'
import { BaseFetcher, type TargetFile, Updater } from 'tuf-js'
import { DownloadHTTPError } from 'tuf-js/dist/error.js'
import { HooklineError } from '../core/index.ts'
import { withFileLock } from '../platform/index.ts'
import { type Current, currentIn, filesOf, generationsIn, policyName, refusal } from './current.ts'
import { readEnrolment } from './enrolment.ts'
import { fleetFiles, modesOf, writeWhole } from './place.ts'
import { type PolicySource, reachError, Unreachable } from './source.ts'
import { metadataNames, safely, verifyGeneration } from './verify.ts'

/** Whether a policy can be used here: throws what is wrong with it. */
export type Check = (file: string) => Promise<void>

/**
 * Fetches what is newer, verifies it as TUF has it (tuf-js: signatures, thresholds, rollback, freeze, mix-and-match), and puts
 * it in force as a whole. Whatever goes wrong, the policy before stays. Throws `Unreachable` where only the network is to
 * blame. Gives back whether something is new.
 */
export function update(directory: string, source: PolicySource, check: Check): Promise<boolean> {
  return withFileLock(join(directory, 'update.lock'), async () => {
    await trustRoot(directory, source)
    const draft = mkdtempSync(join(directory, '.next-'))
    try {
      return await take(directory, draft, source, check)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  })
}

/** The first root comes from the server that the machine enrolled with, once; where the enrolment names its digest, it is that one. */
async function trustRoot(directory: string, source: PolicySource): Promise<void> {
  const file = join(directory, fleetFiles.root)
  if (existsSync(file)) return
  const response = await reached(source, 'root.json')
  if (response.status === 404) throw new Unreachable('The fleet has published no policy yet.')
  if (!response.ok) throw new Unreachable(`${source.base} answers ${response.status}.`)
  const bytes = Buffer.from(await response.arrayBuffer())
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const { root: pinned } = readEnrolment(directory)
  if (pinned !== undefined && pinned !== sha256)
    throw new HooklineError(refusal(`its root has the digest ${sha256}, and this machine enrolled for ${pinned}`))
  try {
    const root = Metadata.fromJSON(MetadataKind.Root, JSON.parse(bytes.toString('utf8')))
    root.verifyDelegate(MetadataKind.Root, root)
  } catch (error) {
    throw new HooklineError(refusal(`its root: ${(error as Error).message}`))
  }
  writeWhole(file, bytes, modesOf(directory).file)
}

async function take(directory: string, draft: string, source: PolicySource, check: Check): Promise<boolean> {
  const before = currentIn(directory)
  const known = typeof before === 'string' ? undefined : before
  const isSound = known !== undefined && verifies(known)
  const chain = beginWith(directory, draft, known, isSound)
  const fetcher = new SourceFetcher(source)
  const options = { metadataDir: draft, metadataBaseUrl: source.base, targetBaseUrl: `${source.base}/targets`, fetcher }
  const updater = new Updater({ ...options, config: { fetchRetries: 0, fetchTimeout: 0 } })
  const files = await trusted(fetcher, async () => {
    await updater.refresh()
    return targetsIn(draft)
  })
  const { group: wanted } = readEnrolment(directory)
  const group = Object.hasOwn(files, `${wanted}/${policyName}`) ? wanted : 'default'
  const timestamp = readFileSync(join(draft, 'timestamp.json'))
  const isSame =
    isSound && known.group === group && timestamp.equals(readFileSync(join(placeOf(known), 'timestamp.json')))
  if (isSame) return false

  const generation = createHash('sha256').update(timestamp).update(group).digest('hex').slice(0, 16)
  const next: Current = { directory, generation, group }
  const modes = modesOf(directory)
  for (const [path, info] of Object.entries(files)) {
    if (!path.startsWith(`${group}/`)) continue
    const file = join(draft, 'files', ...safely(path))
    mkdirSync(dirname(file), { recursive: true })
    const cached = known && (await updater.findCachedTarget(info, join(filesOf(known), ...safely(path))))
    if (cached) copyFileSync(cached, file)
    else await trusted(fetcher, () => updater.downloadTarget(info, file))
    chmodSync(file, info.custom['executable'] === true ? modes.file | (0o111 & modes.directory) : modes.file)
  }
  rmSync(join(draft, 'root.json'))
  for (const [version, bytes] of [...chain, ...fetcher.roots]) writeFileSync(join(draft, `${version}.root.json`), bytes)
  openTo(draft, modes)
  putIn(draft, next)
  verifyGeneration(next)
  await checked(join(filesOf(next), group, policyName), check)
  writeWhole(join(directory, fleetFiles.current), `${generation} ${group}\n`, modes.file)
  forgetOthers(directory, [generation, known?.generation])
  return true
}

const placeOf = ({ directory, generation }: Current): string => join(generationsIn(directory), generation)

function verifies(current: Current): boolean {
  try {
    verifyGeneration(current)
    return true
  } catch (error) {
    if (error instanceof HooklineError) return false
    throw error
  }
}

/**
 * What tuf-js starts from: the newest root that is trusted, and the metadata of before, without which nobody could tell that
 * an old one is old. Of a generation that is broken, the root is the machine's own. Gives back the roots since that one.
 */
function beginWith(
  directory: string,
  draft: string,
  known: Current | undefined,
  isSound: boolean,
): Map<number, Buffer> {
  const chain = new Map<number, Buffer>()
  let root = readFileSync(join(directory, fleetFiles.root))
  if (known) {
    const place = placeOf(known)
    for (const name of metadataNames)
      if (existsSync(join(place, `${name}.json`)))
        copyFileSync(join(place, `${name}.json`), join(draft, `${name}.json`))
    const roots = isSound ? readdirSync(place).flatMap((name) => /^(\d+)\.root\.json$/.exec(name)?.[1] ?? []) : []
    for (const version of roots.map(Number).sort((one, other) => one - other)) {
      root = readFileSync(join(place, `${version}.root.json`))
      chain.set(version, root)
    }
  }
  writeFileSync(join(draft, 'root.json'), root)
  return chain
}

function targetsIn(draft: string): Record<string, TargetFile> {
  const json = JSON.parse(readFileSync(join(draft, 'targets.json'), 'utf8'))
  return Metadata.fromJSON(MetadataKind.Targets, json).signed.targets as Record<string, TargetFile>
}

/** What tuf-js refuses is refused; where it could not fetch, the network is to blame. */
async function trusted<T>(fetcher: SourceFetcher, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (fetcher.failed) throw fetcher.failed
    if (error instanceof HooklineError || isOfDisk(error)) throw error
    throw new HooklineError(refusal(wordsFor(error as Error, fetcher.last)))
  }
}

/** A full or broken disk says nothing about a policy. */
const isOfDisk = (error: unknown): boolean => typeof (error as NodeJS.ErrnoException).syscall === 'string'

/** What tuf-js found, for people: which file, and what is wrong with it. */
function wordsFor({ message }: Error, file: string): string {
  const [, expired] = /(\w+)\.json is expired/.exec(message) ?? []
  if (expired !== undefined)
    return `${expired}.json has expired: nobody has renewed it in time, or the clock of this machine is wrong`
  const [, what, there, wanted] = /(\w+) was signed by (\d+)\/(\d+) keys/.exec(message) ?? []
  if (what !== undefined) return `${what}.json has ${there} of ${wanted} signatures that count`
  const [, kind, offered, known] = /New (\w+) version (\d+) is less than current version (\d+)/.exec(message) ?? []
  if (kind !== undefined) return `${kind}.json is older (${offered}) than the one that is here (${known})`
  return `${file}: ${message.split('\n')[0]}`
}

async function checked(file: string, check: Check): Promise<void> {
  try {
    await check(file)
  } catch (error) {
    // Our own package was replaced meanwhile: that says nothing about a policy.
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') throw error
    const detail = error instanceof HooklineError ? error.notes[0]!.message : (error as Error).message
    throw new HooklineError(refusal(`it does not work here: ${detail}`))
  }
}

/** A daemon keeps files to its user; what root's fetches is for everybody. */
function openTo(draft: string, modes: { directory: number; file: number }): void {
  chmodSync(draft, modes.directory)
  for (const entry of readdirSync(draft, { withFileTypes: true })) {
    const path = join(draft, entry.name)
    if (entry.isDirectory()) openTo(path, modes)
    else if (!path.includes('/files/')) chmodSync(path, modes.file)
  }
}

function putIn(draft: string, next: Current): void {
  const { directory } = modesOf(next.directory)
  mkdirSync(generationsIn(next.directory), { recursive: true })
  chmodSync(generationsIn(next.directory), directory)
  // One of this name is what was broken.
  rmSync(placeOf(next), { recursive: true, force: true })
  renameSync(draft, placeOf(next))
}

/** Whoever has begun with the one before ends with it. */
function forgetOthers(directory: string, kept: readonly (string | undefined)[]): void {
  for (const name of readdirSync(generationsIn(directory)))
    if (!kept.includes(name)) rmSync(join(generationsIn(directory), name), { recursive: true, force: true })
}

async function reached(source: PolicySource, path: string): Promise<Response> {
  try {
    return await source.fetch(path)
  } catch (error) {
    throw reachError(error)
  }
}

/** Buckets that show nobody what they hold answer 403 for what is not there; every fetch looks for a newer root. */
const isMissing = (path: string, status: number): boolean =>
  status === 404 || (status === 403 && /^\d+\.root\.json$/.test(path))

class SourceFetcher extends BaseFetcher {
  /** Roots that are newer than the one that was trusted, by version. */
  readonly roots = new Map<number, Buffer>()
  failed: Unreachable | undefined
  /** What was fetched last. */
  last = ''
  constructor(readonly source: PolicySource) {
    super()
  }

  override async fetch(url: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const path = url.slice(this.source.base.length + 1)
    this.last = path
    const response = await reached(this.source, path).catch((error: Unreachable) => {
      this.failed = error
      throw error
    })
    if (response.ok && response.body) return response.body as ReadableStream<Uint8Array<ArrayBuffer>>
    await response.body?.cancel()
    if (isMissing(path, response.status)) throw new DownloadHTTPError(`${path} is not there`, 404)
    this.failed = new Unreachable(`${this.source.base} answers ${response.status}.`)
    throw this.failed
  }

  override async downloadBytes(url: string, maxLength: number): Promise<Buffer> {
    const bytes = await super.downloadBytes(url, maxLength)
    const [, version] = /\/(\d+)\.root\.json$/.exec(url) ?? []
    if (version !== undefined) this.roots.set(Number(version), bytes)
    return bytes
  }
}

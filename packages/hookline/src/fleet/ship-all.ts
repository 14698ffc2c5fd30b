import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { namedIn } from './named-journals.ts'
import { openShipper, type ShipOptions, type Shipper } from './ship.ts'

export interface ShipAllOptions extends Omit<ShipOptions, 'journal' | 'kept'> {
  /** The journal of whoever runs this. */
  own: string
  /** Those of others on this machine, as they are now. */
  others(): Promise<readonly string[]>
  /** How often it looks for others. */
  lookMs?: number
}

/**
 * Sends more than one journal of a machine: where root has enrolled it, only root has its key, and agents run as somebody
 * else. Each journal has a chain and a position of its own.
 */
export function openShippers({ own, others, lookMs = 30_000, ...options }: ShipAllOptions): Pick<Shipper, 'close'> {
  const shippers = new Map([[own, openShipper({ ...options, journal: own })]])
  let looking = look()
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, lookMs).unref()

  async function look(): Promise<void> {
    for (const journal of await others())
      if (!shippers.has(journal)) shippers.set(journal, openShipper({ ...options, journal, kept: keptFor(journal) }))
  }

  return {
    async close() {
      clearInterval(timer)
      await looking
      await Promise.all([...shippers.values()].map((each) => each.close()))
    },
  }
}

const keptFor = (journal: string): string =>
  `shipped-${createHash('sha256').update(journal).digest('hex').slice(0, 16)}.json`

/**
 * Journals of the homes of this machine: plain files of whoever owns the home, in the usual place or where a process of
 * theirs has named one. What somebody else has put there, or a link that leads elsewhere, is not theirs to send.
 */
export function journalsIn(homes: readonly string[], journalOf: (home: string) => string): string[] {
  const found = homes.flatMap((home) => [journalOf(home), ...namedIn(home)].filter((file) => isOf(file, home)))
  return [...new Set(found)]
}

function isOf(file: string, home: string): boolean {
  try {
    const found = lstatSync(file)
    return found.isFile() && found.uid === statSync(home).uid
  } catch {
    return false
  }
}

/** Of everybody whom this machine knows: its own list, and, since some are kept elsewhere, the usual place of homes. */
export function homesHere(list = '/etc/passwd', places: readonly string[] = ['/home', '/Users']): string[] {
  const listed = reading(() => readFileSync(list, 'utf8').split('\n')).flatMap((line) => line.split(':')[5] || [])
  const lying = places.flatMap((place) => reading(() => readdirSync(place)).map((name) => join(place, name)))
  return [...new Set([...listed, ...lying])]
}

function reading(read: () => string[]): string[] {
  try {
    return read()
  } catch {
    return []
  }
}

import { join } from 'node:path'

/**
 * Renews the freshness of what is published in this directory, with the online key, when less than so many days of it are
 * left to spare. Loaded when it is needed: most servers have no fleet.
 */
export async function freshenPolicy(place: string, key: string, days: number, every: number): Promise<void> {
  const { dayMs, freshen, openKey, readMetadata, wrong } = await import('./publish/index.ts')
  const last = readMetadata(join(place, 'timestamp.json'))
  if (last && Date.parse(last.signed.expires) - Date.now() > (days - every) * dayMs) return
  const none = async (file: string): Promise<string> => {
    throw wrong(`${file} has a passphrase, which a server cannot type.`, 'Give it the online key, which has none.')
  }
  freshen(place, [await openKey(key, none)], days)
}

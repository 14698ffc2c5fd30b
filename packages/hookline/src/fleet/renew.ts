import { join } from 'node:path'

/**
 * Renews the freshness of what is published in this directory, with the online key, when a quarter of it is over. It lasts
 * as long as its policy says. Loaded when it is needed: most servers have no fleet.
 */
export async function freshenPolicy(place: string, key: string): Promise<void> {
  const { dayMs, freshen, freshnessIn, mustRenew, openKey, readMetadata, wrong } = await import('./publish/index.ts')
  const none = async (file: string): Promise<string> => {
    throw wrong(`${file} has a passphrase, which a server cannot type.`, 'Give it the online key, which has none.')
  }
  const online = [await openKey(key, none)]
  // Before it is due: whoever has given the wrong one learns it now.
  mustRenew(place, online)
  const days = freshnessIn(place)
  const last = readMetadata(join(place, 'timestamp.json'))
  if (last && Date.parse(last.signed.expires) - Date.now() > days * 0.75 * dayMs) return
  freshen(place, online, days)
}

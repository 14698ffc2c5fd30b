import type { BuiltinKit } from '../../core/index.ts'

/**
 * How often a session is sent back: after that the user is only told, because an agent that cannot comply would go
 * round for ever. Forgotten after two hours.
 */
export async function mayInsist(kit: BuiltinKit, most: number): Promise<boolean> {
  const now = kit.now().getTime()
  let insist = false
  await kit.update<number[]>('blocks', (blocks = []) => {
    const recent = blocks.filter((at) => at > now - 2 * 60 * 60 * 1_000)
    insist = recent.length < most
    return insist ? [...recent, now] : recent
  })
  return insist
}

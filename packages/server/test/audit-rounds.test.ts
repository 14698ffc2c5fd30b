import { expect, it } from 'vitest'
import { auditRounds } from './support/audit-rounds.ts'

/** `npm run soak:audit` does fifty. */
const rounds = Number(process.env['HOOKLINE_AUDIT_ROUNDS'] ?? 3)

it(
  'loses and doubles nothing when the sender, the server and the database are killed in turn',
  async () => {
    const tell = rounds > 3 ? (line: string) => void process.stderr.write(`${line}\n`) : undefined
    const { lost, doubled, broken, missing, written } = await auditRounds(rounds, tell)
    expect({ lost, doubled, broken, missing }).toEqual({ lost: 0, doubled: 0, broken: null, missing: 0 })
    expect(written).toBe(rounds * 40)
  },
  rounds * 60_000,
)

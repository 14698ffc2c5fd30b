import { UsageError } from 'hookline/internal'

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30m`, `24h`, `7d`, in milliseconds. */
export function durationFrom(option: string, written: string | undefined): number | undefined {
  if (written === undefined) return undefined
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(written) ?? []
  if (count === undefined || Number(count) === 0)
    throw new UsageError(`\`${option}\` takes a time, such as \`30m\`, \`24h\` or \`7d\`.`)
  return Number(count) * units[unit!]!
}

/** How long a hook may take: seconds as a number, or a number with a unit. */
export const durationPattern = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const longest = 24 * 3_600_000

/** In whole milliseconds, at least one; undefined when it is no duration between a moment and a day. */
export function parseDuration(value: number | string): number | undefined {
  const ms = typeof value === 'number' ? value * 1_000 : milliseconds(value)
  return ms > 0 && ms <= longest ? Math.max(1, Math.round(ms)) : undefined
}

export function formatDuration(ms: number): number | string {
  return ms % 1_000 === 0 ? ms / 1_000 : `${ms}ms`
}

function milliseconds(text: string): number {
  const [, amount, unit] = durationPattern.exec(text.trim()) ?? []
  return Number(amount) * (units[unit ?? ''] ?? Number.NaN)
}

const steps = [
  [60, 's'],
  [60, 'min'],
  [24, 'h'],
  [30, 'd'],
] as const

/** How long ago, in the largest unit that fits; a date, when it is long ago. */
export function ago(time: string, now = new Date()): string {
  let amount = Math.max(0, (now.getTime() - Date.parse(time)) / 1000)
  for (const [size, unit] of steps) {
    if (amount < size) return `${Math.floor(amount)} ${unit} ago`
    amount /= size
  }
  return time.slice(0, 10)
}

const blocks = {
  utf8: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  ascii: ['_', '.', '-', '=', '+', '*', '#', '@'],
} as const

/** Whether the terminal shows more than ASCII, by the locale; a pipe is read as UTF-8. */
export function showsUnicode(env: NodeJS.ProcessEnv = process.env): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG']
  if (process.platform === 'win32') return env['WT_SESSION'] !== undefined || /utf-?8/i.test(locale ?? '')
  return locale === undefined || /utf-?8/i.test(locale)
}

/** One character for each value, as high as it is against the highest; nothing where there is nothing. */
export function sparkline(values: readonly number[], unicode = showsUnicode()): string {
  const steps = unicode ? blocks.utf8 : blocks.ascii
  const highest = Math.max(...values)
  if (!(highest > 0)) return ' '.repeat(values.length)
  return values
    .map((value) =>
      value <= 0 ? ' ' : steps[Math.min(steps.length - 1, Math.ceil((value / highest) * steps.length) - 1)],
    )
    .join('')
}

/** A bar that takes its share of the width; something that is there is never nothing. */
export function bar(value: number, highest: number, width: number, unicode = showsUnicode()): string {
  if (value <= 0 || highest <= 0) return ''
  return (unicode ? '█' : '#').repeat(Math.max(1, Math.round((value / highest) * width)))
}

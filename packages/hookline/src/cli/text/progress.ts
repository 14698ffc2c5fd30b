/** Shows on one line of a terminal how far the work is, once it has taken a second. Writes nothing elsewhere. */
export interface Progress {
  show(text: string): void
  /** Leaves the line empty. */
  end(): void
}

const patienceMs = 1_000

export function progressOn(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) return { show: () => {}, end: () => {} }
  const start = performance.now()
  let latest = ''
  const show = () => stream.write(`\r\x1b[2K${latest.slice(0, (stream.columns || 80) - 1)}`)
  const timer = setTimeout(show, patienceMs)
  return {
    show(text) {
      latest = text
      if (performance.now() - start > patienceMs) show()
    },
    end() {
      clearTimeout(timer)
      if (performance.now() - start > patienceMs) stream.write('\r\x1b[2K')
    },
  }
}

const everyMs = 100

/** The same for work whose amount is known beforehand. */
export function shareOn(stream: NodeJS.WriteStream, what: string, total: number) {
  const progress = progressOn(stream)
  let done = 0
  let toldAt = 0
  return {
    add(amount: number) {
      done += amount
      const now = performance.now()
      if (now - toldAt < everyMs) return
      toldAt = now
      progress.show(`${what}: ${Math.min(99, Math.floor((100 * done) / Math.max(1, total)))} %`)
    },
    end: progress.end,
  }
}

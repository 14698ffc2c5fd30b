/**
 * Times several subjects in turn, A B … then … B A, so that whatever else the machine does falls on all of them alike.
 * Returns, for each, the sorted times of one call in milliseconds. `batch` calls are timed together where one call is
 * too short for the clock.
 */
export async function interleave(subjects, { rounds, warmUp = Math.ceil(rounds / 10), batch = 1 }) {
  const names = Object.keys(subjects)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const started = performance.now()
      for (let call = 0; call < batch; call++) {
        const result = subjects[name]()
        // A plain function stays plain: awaiting what is no promise would be measured too.
        if (result instanceof Promise) await result
      }
      const elapsed = (performance.now() - started) / batch
      if (round >= 0) times[name].push(elapsed)
    }
  }
  return Object.fromEntries(names.map((name) => [name, summarise(times[name])]))
}

export function summarise(times) {
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), min: sorted[0], count: sorted.length }
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

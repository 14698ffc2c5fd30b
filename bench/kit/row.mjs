/**
 * One line of the table. `value` is what the bar judges; without a bar the row is information. A row that could not be
 * measured is `skipped`, with the reason, and is never counted as met.
 */
export const row = ({ what, ours = '', other = '', ratio, bar, value, note }) => ({
  what,
  ours,
  other,
  ratio: ratio === undefined ? '' : number(ratio),
  bar: bar?.text ?? '',
  met: bar ? (bar.holds(value) ? 'yes' : 'NO') : 'information',
  ...(note === undefined ? {} : { note }),
})

export const skipped = (what, why, bar) => ({
  what,
  ours: '',
  other: '',
  ratio: '',
  bar: bar?.text ?? '',
  met: 'skipped',
  note: why,
})

/** Ours ÷ theirs at p50, judged by the bar; the ratio of the minima beside it. */
export const ratioRow = ({ what, ours, other, name, bar, note }) =>
  row({
    what,
    ours: time(ours),
    other: `${name}: ${time(other)}`,
    ratio: ours.p50 / other.p50,
    bar,
    value: ours.p50 / other.p50,
    note: [`min ÷ min ${number(ours.min / other.min)}`, note].filter(Boolean).join('; '),
  })

export const atMost = (limit, unit = '') => ({ text: `≤ ${limit}${unit}`, holds: (value) => value <= limit })
export const atLeast = (limit, unit = '') => ({ text: `≥ ${amount(limit)}${unit}`, holds: (value) => value >= limit })
export const below = (limit, unit = '') => ({ text: `< ${limit}${unit}`, holds: (value) => value < limit })

/** `1.23 ms (min 1.01)` */
export function time({ p50, min }) {
  const [scale, unit] = p50 >= 1000 ? [1e-3, 's'] : p50 >= 0.1 ? [1, 'ms'] : [1000, 'µs']
  return `${number(p50 * scale)} ${unit} (min ${number(min * scale)})`
}

/** Calls a second, from the milliseconds of one. */
export const rate = (milliseconds) => 1000 / milliseconds

/** `50k/s (best 61k)`, from the milliseconds of one. */
export const perSecond = ({ p50, min }, what = '') => `${amount(rate(p50))}${what}/s (best ${amount(rate(min))})`
export const percent = (part, whole) => `${number((100 * part) / whole)} % (${part}/${whole})`

export const number = (value) =>
  value === 0 ? '0' : Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)))

function amount(value) {
  return value >= 1e6 ? `${number(value / 1e6)}M` : value >= 1000 ? `${number(value / 1000)}k` : number(value)
}

import { cpus, loadavg, totalmem } from 'node:os'

const columns = ['what', 'ours', 'other', 'ratio', 'bar', 'met']
const titles = { what: 'what', ours: 'ours', other: 'floor or peer', ratio: 'ratio', bar: 'bar', met: 'met' }

/** `load`: how busy the machine is before a measurement: rates suffer from it, ratios less. */
export function machine() {
  const [cpu] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  const { model = 'unknown processor' } = cpu ?? {}
  const parts = [`${model.trim()}, ${cpus().length} cores, ${memory}`, `${process.platform} ${process.arch}`]
  return {
    hardware: parts.join(', '),
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
    load: loadavg()[0].toFixed(1),
  }
}

/** For a terminal or a pipe: columns padded, notes below. */
export function toText(rows) {
  const plain = rows.map((row) => ({ ...row, what: row.what.replaceAll('`', '') }))
  const widths = columns.map((column) => Math.max(titles[column].length, ...plain.map((row) => row[column].length)))
  const line = (cells) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index]))
      .join('  ')
      .trimEnd()
  const noted = plain.filter((row) => row.note).map((row) => `  ${row.what}: ${row.note}`)
  return [
    line(columns.map((column) => titles[column])),
    line(widths.map((width) => '-'.repeat(width))),
    ...plain.map((row) => line(columns.map((column) => row[column]))),
    '',
    ...noted,
    ...(noted.length > 0 ? [''] : []),
    tally(rows),
    '',
  ].join('\n')
}

/** The page, from the last whole measurement of each benchmark (bench/results.json). */
export function toMarkdown(results, names) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const shown = (row) => ({ ...row, other: row.note ? `${row.other}${row.other ? '; ' : ''}${row.note}` : row.other })
  const measured = names.filter((name) => results[name]).map((name) => results[name])
  const rows = measured.flatMap((each) => each.rows)
  const missing = names.filter((name) => !results[name])
  return [
    '# Benchmarks',
    '',
    'Written by `npm run bench`; do not edit. Each figure is measured beside its floor (what the machine needs for the work',
    'alone) or a peer, in the same run and in turn, so that a busy machine slows both. Times are p50, with the minimum beside',
    'it; bars are judged at p50. A bar that was missed says NO. The cases the guards are judged on are ours, in',
    '`bench/cases/`; `HOOKLINE_CORPORA=<directory> npm run bench` judges them, and the peers, on yours.',
    '',
    `${[...new Set(measured.map((each) => `Node ${each.node} on ${each.hardware}`))].join('; ')}. The last column says when, and the load average before.`,
    ...(missing.length > 0 ? [`Not measured yet: ${missing.join(', ')}.`] : []),
    '',
    line([...columns.map((column) => titles[column]), 'measured']),
    line([...columns, 'measured'].map(() => '---')),
    ...measured.flatMap(({ date, load, rows }) =>
      rows.map(shown).map((row) => line([...columns.map((column) => row[column]), `${date}, ${load}`])),
    ),
    '',
    tally(rows),
    '',
  ].join('\n')
}

function tally(rows) {
  const count = (met) => rows.filter((row) => row.met === met).length
  return `${count('yes')} bars met, ${count('NO')} missed, ${count('skipped')} skipped.`
}

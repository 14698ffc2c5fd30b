import { parseArgs } from 'node:util'
import { assumptions, limitsOf, needsOf } from './model.mjs'

const help = `Usage: npm run scale -- [options]

  --machines <n>      how many machines; may be repeated. Default: 100, 1,000, 10,000 and 100,000
  --sessions <n>      how many sessions of agents on servers. Default: ten for each machine
  --set <name=value>  another value for one of the assumptions; may be repeated
  --fill <entries>    measure instead: so many generated entries in a PostgreSQL, how much room they take, and how long queries take
  --json              print JSON

What a fleet needs, computed from what was measured on one machine: docs/scale.md.
`

const { values } = parseArgs({
  options: {
    machines: { type: 'string', multiple: true },
    sessions: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    fill: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) process.stdout.write(help)
else if (values.fill !== undefined) await (await import('./fill.mjs')).fill(Number(values.fill))
else print()

function print() {
  const given = Object.fromEntries(
    values.set.map((each) => {
      const [name, value] = each.split('=')
      if (!Object.hasOwn(assumptions, name) || !(Number(value) > 0)) {
        process.stderr.write(`There is no assumption \`${each}\`. They are: ${Object.keys(assumptions).join(', ')}.\n`)
        process.exit(64)
      }
      return [name, Number(value)]
    }),
  )
  const sizes = (values.machines ?? ['100', '1000', '10000', '100000']).map(Number)
  const fleets = sizes.map((machines) => ({ machines, sessions: Number(values.sessions ?? machines * 10) }))
  const results = fleets.map((fleet) => ({ ...fleet, ...needsOf(fleet, given) }))
  if (values.json) {
    process.stdout.write(
      `${JSON.stringify(
        results.map((each) => ({ ...each, limits: limitsOf(each) })),
        null,
        2,
      )}\n`,
    )
    return
  }
  const rows = Object.keys(results[0]).map((name) => [inWords(name), ...results.map((each) => amount(each[name]))])
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  for (const row of rows)
    process.stdout.write(
      `${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[at]))).join('  ')}\n`,
    )
  for (const each of results)
    for (const { what, takesOver } of limitsOf(each))
      process.stdout.write(`\n${amount(each.machines)} machines: ${what}.\n  → ${takesOver}\n`)
}

/** `diskGbPerDay` → `disk gb per day` */
function inWords(name) {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function amount(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value === 0 ? '0' : String(Number(value.toPrecision(2)))
}

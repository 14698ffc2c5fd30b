import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findSecrets, redactText } from 'hookline/guards'
import { origin, readCases, share } from './kit/cases.mjs'
import { interleave } from './kit/measure.mjs'
import { atLeast, atMost, number, percent, row, skipped } from './kit/row.mjs'
import { loadPeer, versionOf } from './peers/index.mjs'

export default async function ({ quick }) {
  const cases = readCases('secrets')
  const lint = await secretlint()
  const judged = []
  for (const each of cases) judged.push({ ...each, ours: isFound(each), theirs: lint && (await lint(each.input)) > 0 })

  const name = `secretlint ${versionOf('@secretlint/core')}`
  const compare = (what, rows, bar) => {
    if (rows.length === 0) return skipped(`secrets, ${what}`, 'there are no such cases', bar)
    const mine = share(rows, (each) => each.ours)
    const other = share(rows, (each) => each.theirs)
    return row({
      what: `secrets, ${what} (${origin})`,
      ours: percent(mine.part, mine.whole),
      other: lint ? `${name}: ${percent(other.part, other.whole)}` : 'peers not installed',
      bar,
      value: (100 * mine.part) / mine.whole,
    })
  }
  return [
    compare(
      'found',
      judged.filter((each) => each.expected === 'redact'),
      atLeast(95, ' %'),
    ),
    compare(
      'look-alikes taken for secrets',
      judged.filter((each) => each.expected === 'keep'),
      atMost(1, ' %'),
    ),
    await throughput(lint, name, quick),
  ]
}

/** Found, and gone from the text. */
function isFound({ input }) {
  const { redacted, found } = redactText(input)
  return found.length > 0 && found.every(({ start, end }) => !redacted.includes(input.slice(start, end)))
}

async function throughput(lint, name, quick) {
  const text = ordinaryText(quick ? 512 * 1024 : 2 * 1024 * 1024)
  const megabytes = Buffer.byteLength(text) / 1e6
  const subjects = { ours: () => findSecrets(text), ...(lint ? { other: () => lint(text) } : {}) }
  const { ours, other } = await interleave(subjects, { rounds: quick ? 5 : 9, warmUp: 2 })
  const speed = ({ p50, min }) => `${number(megabytes / (p50 / 1000))} MB/s (best ${number(megabytes / (min / 1000))})`
  return row({
    what: 'secrets, ordinary text',
    ours: speed(ours),
    other: other ? `${name}: ${speed(other)}` : 'peers not installed',
    ratio: other && ours.p50 / other.p50,
    bar: atLeast(20, ' MB/s'),
    value: megabytes / (ours.p50 / 1000),
  })
}

/** Prose and code such as an agent reads: the documents and sources of this project, over and over. */
function ordinaryText(length) {
  const files = [
    '../docs',
    '../packages/hookline/src/core',
    '../packages/hookline/src/engine',
    '../packages/hookline/src/executors',
  ].flatMap((folder) => {
    const directory = fileURLToPath(new URL(folder, import.meta.url))
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`)
  })
  const once = files
    .toSorted()
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  return once.repeat(Math.ceil(length / once.length)).slice(0, length)
}

async function secretlint() {
  const core = await loadPeer('secretlint')
  if (!core) return undefined
  const { creator } = await loadPeer('secretlint-preset')
  const config = { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] }
  return async (content) => {
    const source = { content, filePath: '/text.txt', ext: '.txt', contentType: 'text' }
    return (await core.lintSource({ source, options: { config } })).messages.length
  }
}

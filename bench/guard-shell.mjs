import { tmpdir } from 'node:os'
import { analyseCommand } from 'hookline/guards'
import { origin, readCases, share } from './kit/cases.mjs'
import { summarise } from './kit/measure.mjs'
import { atLeast, atMost, below, number, percent, row, skipped, time } from './kit/row.mjs'
import { loadPeer, versionOf } from './peers/index.mjs'

const place = { cwd: '/home/user/project', home: '/home/user' }

export default async function ({ quick }) {
  const cases = readCases('commands')
  const peer = await loadPeer('cc-safety-net')
  const judge = (command) => analyseCommand({ command, ...place }).verdict
  // It looks for its own config there, so the directory must exist; and it takes no blank commands.
  const deny =
    peer && ((command) => command.trim() !== '' && peer.checkCommand({ command, cwd: tmpdir() }).kind === 'deny')
  const judged = cases.map((each) => ({ ...each, ours: judge(each.input), theirs: deny?.(each.input) }))

  const name = `cc-safety-net ${versionOf('cc-safety-net')}`
  const compare = (what, rows, ours, theirs, bar) => {
    if (rows.length === 0) return skipped(`commands, ${what}`, 'there are no such cases', bar)
    const mine = share(rows, ours)
    const other = peer && theirs ? share(rows, theirs) : undefined
    return row({
      what: `commands, ${what} (${origin})`,
      ours: percent(mine.part, mine.whole),
      other: other
        ? `${name}: ${percent(other.part, other.whole)}`
        : theirs
          ? 'peers not installed'
          : `${name}: never says safe`,
      bar,
      value: bar.counts ? mine.part : (100 * mine.part) / mine.whole,
    })
  }
  const dangerous = judged.filter((each) => each.expected === 'destructive')
  const notSafe = judged.filter((each) => each.expected === 'destructive' || each.floor === 'not-safe')
  const harmless = judged.filter((each) => each.expected === 'safe' || each.must_not_block)
  const readOnly = judged.filter((each) => each.expected === 'safe')
  return [
    compare(
      'dangerous flagged',
      dangerous,
      (each) => each.ours === 'destructive',
      (each) => each.theirs,
      atLeast(97, ' %'),
    ),
    compare('dangerous called safe', notSafe, (each) => each.ours === 'safe', undefined, {
      ...atMost(0),
      counts: true,
    }),
    compare(
      'harmless flagged',
      harmless,
      (each) => each.ours === 'destructive',
      (each) => each.theirs,
      atMost(1, ' %'),
    ),
    compare('read-only called safe', readOnly, (each) => each.ours === 'safe', undefined, atLeast(85, ' %')),
    timing(cases, judge, deny, name, quick),
    worst(judge),
  ]
}

/**
 * Lines of up to 128 KiB made of what a guard stumbles over, and of what a search among such lines has found to cost most. Each
 * counts with its best of five, in time of the processor: the machine may have other work.
 */
function worst(judge) {
  const longest = 131_072
  const units = [
    ...[
      'ls;',
      '{a,b}',
      '$(',
      '${',
      '$[',
      '<<a ',
      'x=$x$x;',
      'cd a;',
      '"$x" ',
      '* ',
      'a/',
      'eval ls;',
      '\uE000',
      '\u202e',
    ],
    ...[
      'find . -exec ls \\; ',
      'rsync a b;',
      'mv a b;',
      'wget a;',
      'make a;',
      'tar xf a;',
      'git config a.b c;',
      '[a-z]',
    ],
    ...[
      'f(){ f;};',
      'if ls;then cd a;else cd b;fi;',
      'ls||x=a;rm $x;',
      'cat <<E\nx\nE\n',
      '<(ls) ',
      'select x in a;do ',
    ],
    ...[
      "python -c 'a';",
      'sh -c ls;',
      'echo a>a;',
      'alias a=b;',
      '[[ $x = a ]]&&x=b;',
      '(cd a;x=a);',
      'a* ',
      'ssh h ls;',
    ],
  ]
  const loops = `${'for i in 1 2 3 4 5 6 7 8 9 10; do '.repeat(12)}ls $i;${'done;'.repeat(12)}`
  const code = `python -c '${'os.system("ls");'.repeat(8_000)}'`
  const long = units.map((unit) => unit.repeat(longest / unit.length))
  const short = units.map((unit) => unit.repeat(4_000 / unit.length))
  const lines = [loops, code, ...long, ...short, ...long.map(numbered), ...short.map(numbered)]
  const best = lines.map((line) =>
    Math.min(...Array.from({ length: 5 }, () => processorTime(() => judge(line.slice(0, longest))))),
  )
  const value = Math.max(...best)
  return row({
    what: `commands, processor time for the worst of ${lines.length} lines up to 128 KiB`,
    ours: `${number(value)} ms`,
    bar: below(50, ' ms'),
    value,
  })
}

/** Every name another one. */
function numbered(line) {
  let at = 0
  return line.replace(/\ba\b/g, () => `a${at++}`)
}

/** Every command several times over, warm. A command counts with its p50, so that p99 is that of commands, not of the machine. */
function timing(cases, judge, deny, name, quick) {
  const passes = quick ? 5 : 15
  const typical = (work, count) => {
    const times = cases.map(() => [])
    for (let pass = -2; pass < count; pass++)
      for (const [index, { input }] of cases.entries()) {
        const elapsed = timed(() => work(input))
        if (pass >= 0) times[index].push(elapsed)
      }
    return times.map((each) => summarise(each).p50)
  }
  const mine = summarise(typical(judge, passes))
  const other = deny && summarise(typical(deny, quick ? 1 : 3))
  return row({
    what: 'commands, time for one: p99 of all cases',
    ours: `${number(mine.p99)} ms; p50 ${time(mine)}`,
    other: other ? `${name}: ${number(other.p99)} ms; p50 ${time(other)}` : 'peers not installed',
    ratio: other && mine.p99 / other.p99,
    bar: below(1, ' ms'),
    value: mine.p99,
  })
}

function timed(work) {
  const started = performance.now()
  work()
  return performance.now() - started
}

function processorTime(work) {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

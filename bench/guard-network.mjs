import { checkRedirect, checkUrl } from 'hookline/guards'
import { origin, readCases, share } from './kit/cases.mjs'
import { interleave } from './kit/measure.mjs'
import { atLeast, percent, row, time } from './kit/row.mjs'
import { loadPeer, versionOf } from './peers/index.mjs'

export default async function ({ quick }) {
  const cases = readCases('ssrf')
  const literal = cases.filter((each) => !each.dns && !each.redirects)
  const { isSSRFSafeURL } = (await loadPeer('ssrfcheck')) ?? {}
  const ipaddr = (await loadPeer('ipaddr.js'))?.default

  const peers = [
    isSSRFSafeURL && [`ssrfcheck ${versionOf('ssrfcheck')}`, (url) => !isSSRFSafeURL(url)],
    ipaddr && [`ipaddr.js ${versionOf('ipaddr.js')}`, (url) => isSpecial(ipaddr, url)],
  ].filter(Boolean)
  const right = (rows, isRefused) => share(rows, (each) => isRefused(each) === (each.expected === 'block'))
  const score = ({ part, whole }) => percent(part, whole)
  const byText = right(literal, ({ input }) => checkUrl(input).verdict === 'refused')
  const all = right(cases, isRefused)
  const { ours } = await interleave(
    { ours: () => literal.forEach(({ input }) => void checkUrl(input)) },
    { rounds: quick ? 20 : 100 },
  )
  return [
    row({
      what: `network, literals and names judged right (${origin})`,
      ours: score(byText),
      other:
        peers.map(([name, judge]) => `${name}: ${score(right(literal, ({ input }) => judge(input)))}`).join('; ') ||
        'peers not installed',
      bar: atLeast(100, ' %'),
      value: (100 * byText.part) / byText.whole,
    }),
    row({
      what: 'network, with DNS answers and redirects',
      ours: score(all),
      other: 'the peers look at neither',
      bar: atLeast(100, ' %'),
      value: (100 * all.part) / all.whole,
    }),
    row({ what: 'time per URL', ours: time({ p50: ours.p50 / literal.length, min: ours.min / literal.length }) }),
  ]
}

/** As a caller that connects must ask: the text, then every answer of DNS, then every hop. */
function isRefused({ input, dns, redirects = [] }) {
  const answers = dns?.[hostOf(input)]
  const rounds = answers === undefined ? [undefined] : Array.isArray(answers) ? [answers] : answers.sequence
  if (rounds.some((addresses) => checkUrl(input, addresses).verdict === 'refused')) return true
  return redirects.some(({ location }) => checkRedirect([input], location).verdict === 'refused')
}

function hostOf(url) {
  try {
    return new URL(url).hostname
  } catch {
    return ''
  }
}

/** The usual way to use it: the host of the URL, and anything that is no ordinary unicast address is special. It knows no names. */
function isSpecial(ipaddr, url) {
  try {
    const { hostname, protocol } = new URL(url)
    if (protocol !== 'http:' && protocol !== 'https:') return true
    const host = hostname.replace(/^\[|\]$/g, '')
    return ipaddr.isValid(host) && ipaddr.process(host).range() !== 'unicast'
  } catch {
    return true
  }
}

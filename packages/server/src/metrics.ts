import { makeHistogram } from 'hookline/internal/start'

/** One figure. Those of one name differ in their labels. */
export interface Measure {
  name: string
  doc: string
  value: number
  /** It only ever grows. */
  counter?: true
  labels?: Readonly<Record<string, string>>
}

/** What the server counts of itself. */
export interface Metrics {
  request(route: string, status: number, ms: number): void
  /** In the text format of Prometheus, with these. */
  show(measures: readonly Measure[]): string
}

export function makeMetrics(): Metrics {
  const requests = new Map<string, number>()
  const durations = new Map<string, { count: number; sum: number; histogram: ReturnType<typeof makeHistogram> }>()
  return {
    request(route, status, ms) {
      const key = `route="${route}",status="${status}"`
      requests.set(key, (requests.get(key) ?? 0) + 1)
      const own = durations.get(route) ?? { count: 0, sum: 0, histogram: makeHistogram() }
      durations.set(route, own)
      own.count++
      own.sum += ms
      own.histogram.add(ms)
    },
    show(measures) {
      const lines: string[] = []
      const family = (name: string, type: string, doc: string) =>
        lines.push(`# HELP hookline_${name} ${doc}`, `# TYPE hookline_${name} ${type}`)
      for (const [at, { name, doc, value, counter, labels }] of measures.entries()) {
        if (measures[at - 1]?.name !== name) family(name, counter ? 'counter' : 'gauge', doc)
        lines.push(`hookline_${name}${labels ? `{${labelled(labels)}}` : ''} ${value}`)
      }
      family('http_requests_total', 'counter', 'Requests by route and status.')
      for (const [labels, count] of requests) lines.push(`hookline_http_requests_total{${labels}} ${count}`)
      family('http_request_duration_ms', 'summary', 'How long requests took.')
      for (const [route, { count, sum, histogram }] of durations) {
        for (const share of [0.5, 0.99])
          lines.push(
            `hookline_http_request_duration_ms{route="${route}",quantile="${share}"} ${(histogram.at(share) ?? 0).toFixed(3)}`,
          )
        lines.push(`hookline_http_request_duration_ms_sum{route="${route}"} ${sum.toFixed(3)}`)
        lines.push(`hookline_http_request_duration_ms_count{route="${route}"} ${count}`)
      }
      return `${lines.join('\n')}\n`
    },
  }
}

/** Names of agents come from outside: nothing in them ends the text. */
const labelled = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (each) => (each === '\n' ? '\\n' : `\\${each}`))}"`)
    .join(',')

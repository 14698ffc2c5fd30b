import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { otlpFrom } from '../src/telemetry/index.ts'
import { entry, write } from './support/journal.ts'
import { openServer } from './support/server.ts'

interface Attribute {
  key: string
  value: Record<string, unknown>
}
interface LogRecord {
  eventName: string
  timeUnixNano: string
  severityText: string
  attributes: Attribute[]
}
interface Received {
  path: string
  headers: Record<string, unknown>
  body: {
    resourceLogs?: { resource: { attributes: Attribute[] }; scopeLogs: { logRecords: LogRecord[] }[] }[]
    resourceMetrics?: { scopeMetrics: { metrics: { name: string; sum?: object; gauge?: object }[] }[] }[]
  }
}

/** A collector that keeps what it takes, and can be away. */
let received: Received[] = []
let status = 200
const collector = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk) => {
    text += chunk
  })
  request.on('end', () => {
    if (status === 200)
      received.push({ path: request.url!, headers: request.headers, body: JSON.parse(text) as Received['body'] })
    response.writeHead(status).end('{}')
  })
})
let endpoint: string
beforeAll(async () => {
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening))
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
})
afterAll(() => void collector.close())
beforeEach(() => {
  received = []
  status = 200
})

const otlp = (more: Record<string, string> = {}) =>
  otlpFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`, OTEL_METRIC_EXPORT_INTERVAL: '50', ...more }, '1.2.3')!
const records = () =>
  received.flatMap(({ body }) => body.resourceLogs ?? []).flatMap(({ scopeLogs }) => scopeLogs[0]!.logRecords)
const shownAs = (attributes: Attribute[], name: string) =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]

it('a collector gets the four events of hooks and the figures of the server, as OTLP in JSON', async () => {
  const settings = otlp({ OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b', OTEL_SERVICE_NAME: 'guards' })
  const server = await openServer(undefined, { otlp: settings })
  const failure = { kind: 'timeout', detail: 'It took too long.' } as const
  const failed = { id: 'watcher', stage: 0, asked: true, outcome: 'failure', definition: 'x', failure } as const
  await write(server.journal, [
    entry('git push --force'),
    { ...entry('git status'), event: 'post_tool_use', outcome: 'failure', hooks: [failed as never] },
  ])
  await expect
    .poll(() => records().map(({ eventName }) => eventName))
    .toEqual([
      ...['hook.invoked', 'hook.completed', 'hook.blocked'],
      ...['hook.invoked', 'hook.completed', 'hook.warning'],
    ])
  const [, , blocked] = records()
  expect(blocked).toMatchObject({ severityText: 'WARN', timeUnixNano: expect.stringMatching(/^\d{19}$/) })
  expect(shownAs(blocked!.attributes, 'hook_id')).toBe('rules')
  expect(shownAs(blocked!.attributes, 'reason')).toContain('off limits')
  const [logs] = received.filter(({ path }) => path === '/v1/logs')
  expect(logs!.headers).toMatchObject({ 'x-key': 'a b', 'content-type': 'application/json' })
  expect(shownAs(logs!.body.resourceLogs![0]!.resource.attributes, 'service.name')).toBe('guards')
  const metrics = () =>
    received
      .filter(({ path }) => path === '/v1/metrics')
      .flatMap(({ body }) => body.resourceMetrics![0]!.scopeMetrics[0]!.metrics.map(({ name }) => name))
  await expect.poll(metrics).toEqual(expect.arrayContaining(['hookline.decisions_total', 'hookline.failed_open_total']))
  await server.end()
})

it('what a collector misses while it is away, it gets later, once, also from the next server', async () => {
  const log: string[] = []
  const settings = otlp({ OTEL_METRICS_EXPORTER: 'none' })
  const server = await openServer(undefined, { otlp: settings, log: (line) => log.push(line) })
  status = 503
  await write(server.journal, [entry('echo 1')])
  await expect.poll(() => log.join()).toContain('kept, and sent later')
  expect(await (await server.get('/metrics')).text()).toMatch(/hookline_otlp_unsent [1-9]/)
  await server.close()
  status = 200
  const next = await openServer(server.root, { otlp: settings })
  await write(next.journal, [entry('echo 2')])
  const calls = () => records().filter(({ eventName }) => eventName === 'hook.invoked').length
  await expect.poll(calls).toBe(2)
  await next.end()
  expect(calls()).toBe(2)
})

it('what a collector refuses for good is told and left out: the rest goes on', async () => {
  const log: string[] = []
  const settings = otlp({ OTEL_METRICS_EXPORTER: 'none' })
  const server = await openServer(undefined, { otlp: settings, log: (line) => log.push(line) })
  status = 400
  await write(server.journal, [entry('echo 1')])
  await expect.poll(() => log.join()).toContain('left out')
  status = 200
  await write(server.journal, [entry('echo 2')])
  await expect.poll(() => records().length).toBe(2)
  await server.end()
})

it('nothing is sent that nobody wants', () => {
  expect(otlpFrom({}, '1')).toBeUndefined()
  expect(otlpFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_SDK_DISABLED: 'true' }, '1')).toBeUndefined()
  expect(otlp({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://b/logs' })).toMatchObject({
    logs: 'http://b/logs',
    metrics: `${endpoint}/v1/metrics`,
  })
})

import { get } from 'node:http'

/** Whether the server in this container answers, under the name that it has outside: it refuses every other one. */
const { HOOKLINE_PUBLIC_URL: url } = process.env
const headers = url === undefined ? {} : { host: new URL(url).host }
get({ host: '127.0.0.1', port: 4665, path: '/healthz', headers, timeout: 4_000 }, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
).on('error', () => process.exit(1))

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  dataDirectory,
  defineCommand,
  HooklineError,
  type Invocation,
  note,
  onInterrupt,
  paintFor,
  readingOptions,
  stateDirectory,
  text,
  UsageError,
  version,
} from 'hookline/internal/start'
import { type Address, readAddress, type Tls } from './http/listen.ts'
import { type RunningServer, type ServerOptions, startServer } from './server.ts'
import { isPostgres, usualDatabase } from './store/index.ts'
import { otlpFrom } from './telemetry/settings.ts'

const usualPort = 4665

export const command = defineCommand({
  name: 'serve',
  summary: 'Serve the console: every decision, open question and rule of this machine, in a browser and over HTTP.',
  usage:
    'serve [--listen <host:port>] [--database <file|postgres://…>] [--keep-days <days>] [--policy <directory>] [--tls-cert <file> --tls-key <file>] [--public-url <url>] [--oidc <file>]',
  doc: [
    'Follows the journal of this machine, and shows it: what was decided, which questions wait, which rules hold. It listens',
    'on this machine alone. It prints a link that signs a browser in, once; Enter prints a new one. Programs use the token',
    'that it prints beside (`Authorization: Bearer …`); `GET /api/openapi.json` describes the API. Ctrl+C stops it.',
    '',
    'With OTEL_EXPORTER_OTLP_ENDPOINT set, what hooks do and what it counts go to that collector (OTLP over HTTP, JSON).',
    '',
    'To reach it from elsewhere, give it a certificate, or put it behind a proxy that has one, and name the address under',
    'which browsers see it (`--public-url`): under any other name it refuses.',
  ].join('\n'),
  options: {
    listen: { value: 'host:port', doc: `Where to listen. Default: 127.0.0.1:${usualPort}; port 0 takes a free one.` },
    database: {
      value: 'file|url',
      doc: 'Where its index is kept: a file of SQLite, or a PostgreSQL (`postgres://…`), which several servers may share. `HOOKLINE_DATABASE` is the same, and keeps a password out of the list of processes.',
    },
    'keep-days': { value: 'days', doc: 'Forget what arrived longer ago. Default: nothing is forgotten.' },
    policy: {
      value: 'directory',
      doc: 'Serve the policy of a fleet from here: what `hookline policy publish` writes.',
    },
    'policy-key': {
      value: 'file',
      doc: 'The online key of that policy: the server renews its freshness before it ends.',
    },
    'tls-cert': { value: 'file', doc: 'The certificate (PEM), for HTTPS.' },
    'tls-key': { value: 'file', doc: 'Its key (PEM).' },
    'public-url': { value: 'url', doc: 'The address under which browsers reach it, if it is another.' },
    oidc: { value: 'file', doc: 'An identity provider (OpenID Connect) that people sign in with: docs/server.md.' },
    ...readingOptions,
    json: { doc: 'Print one JSON object when it is ready: url, sign_in, token.' },
  },
  examples: [
    'hookline serve',
    'hookline serve --database postgres://hookline@db.example.com/hookline',
    'hookline serve --listen 127.0.0.1:0 --json',
  ],
  exits: { 1: 'It could not start: the port is taken, or a file could not be read.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, errors } = invocation
    const interrupt = onInterrupt()
    const tls = tlsFrom(values)
    const keepDays = daysFrom(text(values['keep-days']))
    const policy = policyFrom(values)
    const publicUrl = urlFrom(text(values['public-url']))
    const oidc = text(values['oidc'])
    const otlp = otlpFrom(process.env, version())
    const running = await startServer({
      database: databaseFrom(text(values['database'])),
      journal: async () => (await import('hookline/internal')).journalToRead(invocation),
      listen: addressFrom(text(values['listen'])),
      ...(keepDays !== undefined && { keepDays }),
      ...(tls && { tls }),
      ...(policy && { policy }),
      ...(publicUrl && { publicUrl }),
      ...(otlp && { otlp }),
      ...(oidc !== undefined && { oidc: await oidcFrom(resolve(oidc)) }),
      // Whoever started it sits at its terminal: what is shown there, no agent reads.
      person: async () =>
        (await import('hookline/internal/server')).personAtPage(stateDirectory(), terminalOf(invocation)),
      log: (line) => errors.write(`${line}\n`),
      onListening: (running) => announce(running, invocation),
    })
    const release = offerLinks(running, invocation)
    await new Promise<void>((done) => {
      if (interrupt.signal.aborted) done()
      else interrupt.signal.addEventListener('abort', () => done(), { once: true })
    })
    release()
    interrupt.release()
    await running.close()
    return 0
  },
})

const terminalOf = ({ input, output }: Invocation): ((text: string) => void) | undefined =>
  input.isTTY && output.isTTY ? (text) => void output.write(`${text}\n`) : undefined

function databaseFrom(written = process.env['HOOKLINE_DATABASE'] || undefined): string {
  if (written === undefined) return usualDatabase(dataDirectory())
  if (isPostgres(written)) return written
  if (/^\w+:\/\//.test(written))
    throw new UsageError('`--database` takes a file, or the address of a PostgreSQL: `postgres://user@host/name`.')
  return resolve(written)
}

function daysFrom(written: string | undefined): number | undefined {
  if (written === undefined) return undefined
  if (/^\d{1,5}$/.test(written) && Number(written) > 0) return Number(written)
  throw new UsageError('`--keep-days` takes a whole number of days.')
}

function addressFrom(written: string | undefined): Address {
  const address = written === undefined ? { host: '127.0.0.1', port: usualPort } : readAddress(written)
  if (!address) throw new UsageError('`--listen` takes an address and a port, such as `127.0.0.1:4665`, or a port.')
  return address
}

function tlsFrom(values: Invocation['values']): Tls | undefined {
  const [cert, key] = [text(values['tls-cert']), text(values['tls-key'])]
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) throw new UsageError('`--tls-cert` and `--tls-key` go together.')
  return { cert, key }
}

function policyFrom(values: Invocation['values']): ServerOptions['policy'] {
  const [directory, key] = [text(values['policy']), text(values['policy-key'])]
  if (directory === undefined) {
    if (key !== undefined) throw new UsageError('`--policy-key` goes with `--policy`.')
    return undefined
  }
  mustBeThere(directory, 'isDirectory', 'Name the directory that `hookline policy init` made, or its `repository/`.')
  if (key !== undefined) mustBeThere(key, 'isFile', 'Name the online key that `hookline policy init` made.')
  return { directory: resolve(directory), ...(key !== undefined && { key: resolve(key) }) }
}

/** A server that starts without it would serve no policy, and nobody would know before machines are stale. */
function mustBeThere(path: string, what: 'isDirectory' | 'isFile', fix: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.[what]()) return
  const word = what === 'isFile' ? 'file' : 'directory'
  throw new HooklineError(note('policy-wrong', { detail: `${resolve(path)} is no ${word}.`, fix }))
}

const oidcFrom = async (file: string) => (await import('./access/oidc-settings.ts')).readOidcSettings(file)

function urlFrom(written: string | undefined): URL | undefined {
  if (written === undefined) return undefined
  if (/^https?:\/\//.test(written) && URL.canParse(written)) return new URL(written)
  throw new UsageError('`--public-url` takes an address, such as `https://hookline.example.com`.')
}

function announce(running: RunningServer, { values, output }: Invocation): void {
  const link = running.signInUrl()
  if (values['json']) {
    output.write(`${JSON.stringify({ url: running.url, sign_in: link, token: running.token })}\n`)
    return
  }
  const paint = paintFor(output)
  output.write(
    [
      `${paint.bold(`Hookline ${version()}`)}  ${running.url}`,
      '',
      ...(running.hasConsole
        ? [
            `  ${paint.bold('Sign in')}  ${paint.cyan(link)}`,
            `           ${paint.dim('works once, within 10 minutes; Enter prints a new one')}`,
          ]
        : []),
      `  ${paint.bold('Token')}    ${running.token}`,
      `           ${paint.dim('for programs, until this server stops: Authorization: Bearer …')}`,
      '',
      paint.dim('Ctrl+C stops it.'),
      '',
    ].join('\n'),
  )
}

/** At a terminal, Enter makes a new link: the one before may be used up, or gone with a closed window. */
function offerLinks(running: RunningServer, { input, output }: Invocation): () => void {
  if (!input.isTTY || !running.hasConsole) return () => {}
  const print = () => output.write(`Sign in: ${running.signInUrl()}\n`)
  input.on('data', print)
  return () => {
    input.off('data', print)
    input.pause()
  }
}

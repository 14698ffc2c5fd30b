import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  configOptions,
  defineCommand,
  type Invocation,
  type Link,
  lineLink,
  onInterrupt,
  recordingOptions,
  standBetween,
  startBehind,
  stateDirectory,
  text,
  texts,
  trustOption,
  UsageError,
} from 'hookline/internal'
import { approveTools, listTools } from './approve.ts'
import { filePins } from './file-pins.ts'
import { guardMcp } from './guard.ts'
import { listen } from './listen.ts'
import { serverNameOf } from './names.ts'

export const command = defineCommand({
  name: 'mcp',
  summary: 'Stand between an agent and an MCP server: your rules and hooks judge every call.',
  usage: 'mcp [options] -- <command …>  |  mcp --url <url>  |  mcp approve <server> [tool …]  |  mcp tools [server]',
  doc: [
    'Starts the MCP server, or connects to it, and speaks MCP on its own standard input and output. Put it into the config of',
    'an agent in place of the server. Tools are called `mcp__<name>__<tool>` in rules. Messages go through unchanged, but for',
    'calls and reads, which hooks judge and redact. A tool that the server suddenly describes in another way, or that has the',
    'name of a tool of another server, is withheld until you approve it.',
  ].join('\n'),
  options: {
    name: { value: 'name', doc: 'What rules call the server. Default: after its package or its host.' },
    url: { value: 'url', doc: 'A server that is reached by streamable HTTP.' },
    header: {
      value: 'name: value',
      multiple: true,
      doc: 'Sent with every request to --url; `$NAME` stands for a variable.',
    },
    listen: {
      value: 'host:port',
      doc: 'Serve streamable HTTP here, in place of standard input and output. Only this machine gets in.',
    },
    ...configOptions,
    trust: trustOption,
    ...recordingOptions,
    yes: { doc: 'For scripts: approve without asking, with HOOKLINE_APPROVE_TOKEN.' },
    json: { doc: 'For `mcp tools`: print JSON.' },
  },
  choices: ['approve', 'tools'],
  examples: [
    'hookline mcp -- npx -y @modelcontextprotocol/server-filesystem .',
    'hookline mcp --name tracker --url https://mcp.example.com/mcp --header "Authorization: Bearer $TRACKER_TOKEN"',
    'hookline mcp tools filesystem',
  ],
  readByHosts: true,
  exits: { 1: 'The server could not be started or reached, or hooks could not be loaded.', 64: 'Wrong usage.' },
  async run(invocation) {
    const [first, ...rest] = invocation.positionals
    const pins = filePins(pinDirectory())
    const url = text(invocation.values['url'])
    // Behind `--` everything is the command of a server, whatever it is called.
    if (url === undefined && !isCommand(invocation)) {
      if (first === 'approve') return approveTools(invocation, pins, rest)
      if (first === 'tools') return listTools(invocation, pins, rest)
    }
    if ((url === undefined) === (first === undefined))
      throw new UsageError('Name a server: `hookline mcp -- npx some-server`, or `hookline mcp --url https://…`.')
    return serve(invocation, url)
  },
})

export const pinDirectory = (): string => join(stateDirectory(), 'mcp')

const isCommand = (invocation: Invocation): boolean => {
  const at = process.argv.indexOf('--')
  return at >= 0 && process.argv.length - at - 1 === invocation.positionals.length
}

async function serve(invocation: Invocation, url: string | undefined): Promise<number> {
  const { values, positionals } = invocation
  const server = text(values['name']) ?? serverNameOf(url ?? positionals)
  const { hooks, settings, warn } = await standBetween(invocation, 'mcp')
  const interrupt = onInterrupt()
  const connect = async (toClient: Link) =>
    guardMcp({
      hooks,
      server,
      toClient,
      toServer:
        url === undefined
          ? await startBehind('The MCP server', invocation, settings.cwd)
          : reached(url, texts(values['header'])),
      pins: filePins(pinDirectory()),
      cwd: settings.cwd,
      warn,
    })
  try {
    const address = text(values['listen'])
    if (address === undefined) {
      const guard = await connect(lineLink(process.stdin, process.stdout))
      interrupt.signal.addEventListener('abort', () => void guard.close())
      await guard.closed
    } else {
      const listening = await listen({ ...hostAndPort(address), connect })
      warn(`${server} is guarded at ${listening.url}`)
      await new Promise((resolve) => interrupt.signal.addEventListener('abort', resolve))
      await listening.close()
    }
    return 0
  } finally {
    interrupt.release()
    await hooks.close()
  }
}

function reached(url: string, headers: readonly string[]): Link {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--url wants an http or https address, not ${url}.`)
  const pairs = headers.map((header) => {
    const at = header.indexOf(':')
    if (at < 1) throw new UsageError(`--header wants "Name: value", not ${JSON.stringify(header)}.`)
    return [header.slice(0, at).trim(), withVariables(header.slice(at + 1).trim())] as [string, string]
  })
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: pairs } }) as unknown as Link
}

const withVariables = (value: string): string =>
  value.replace(/\$(\w+)|\$\{(\w+)\}/g, (_, plain: string | undefined, braced: string | undefined) => {
    const name = (plain ?? braced) as string
    const found = process.env[name]
    if (found === undefined) throw new UsageError(`--header names the variable ${name}, which is not set.`)
    return found
  })

function hostAndPort(address: string): { host: string; port: number } {
  const [, host = '127.0.0.1', port] = /^(?:\[?([\w.:-]+?)\]?:)?(\d+)$/.exec(address) ?? []
  if (port === undefined || Number(port) > 65_535) throw new UsageError(`--listen wants host:port, not ${address}.`)
  if (!/^(?:127\.|::1$|localhost$)/.test(host))
    throw new UsageError(`--listen serves this machine only: 127.0.0.1:${port}, not ${host}.`)
  return { host, port: Number(port) }
}

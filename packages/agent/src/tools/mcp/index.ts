import { resolve } from 'node:path'
import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createConnections, streamingFetch } from 'hookline/internal'
import * as z from 'zod/mini'
import { duration, expandAll, expandVariables, milliseconds, type Tool, ToolFailure } from '../../core/index.ts'
import { defineToolset, flag, type OpenToolset, type ToolsetContext } from '../define.ts'
import { commandEnvironment } from '../shell/machine.ts'
import { connect, type Server, type ServerOptions, serverTransport } from './connection.ts'
import { type OAuthOptions, oauthOptions, openAccount } from './sign-in.ts'
import { serverNameOf, toolOf } from './tool.ts'

const options = z.strictObject({
  name: z.optional(z.string().check(z.describe('What its tools are called by: `mcp_<name>_<tool>`.'))),
  command: z.optional(z.string().check(z.describe('The program of a server on stdin and stdout.'))),
  args: z.optional(z.array(z.string())),
  env: z.optional(z.record(z.string(), z.string()).check(z.describe('Variables for it; `$NAME` is put in.'))),
  working_dir: z.optional(z.string()),
  remote: z.optional(
    z.strictObject({
      url: z.string().check(z.describe('A server that is reached over HTTP.')),
      transport_type: z.optional(z.enum(['streamable', 'sse'])),
      headers: z.optional(z.record(z.string(), z.string())),
      oauth: z.optional(oauthOptions),
    }),
  ),
  allow_private_ips: z.optional(flag('The server may be on this machine or in a private network.')),
  trust_readonly_hint: z.optional(
    flag(
      'Calls that the server says only read (`readOnlyHint`) run without asking you. Default: they are asked about.',
    ),
  ),
  ref: z.optional(z.string()),
  lifecycle: z.optional(z.looseObject({ startup_timeout: z.optional(duration), call_timeout: z.optional(duration) })),
})
type Options = z.infer<typeof options>

const mostBytes = 64 * 1024 * 1024

export const mcpToolset = defineToolset({
  doc: 'Tools of an MCP server, started by a command or reached over HTTP; each is called `mcp_<server>_<tool>`.',
  options,
  async open(given, context): Promise<OpenToolset> {
    const startMs = milliseconds(given.lifecycle?.startup_timeout ?? '20s')
    const callMs = milliseconds(given.lifecycle?.call_timeout ?? '5m')
    const { close, ...way } = given.remote ? await overHttp(given, given.remote, context) : overStdio(given, context)
    const server = await connect({ ...way, startMs, warn: context.warn }).catch((error) => {
      close()
      throw error
    })
    const made = new Map<object, Tool>()
    const trustsHint = given.trust_readonly_hint === true || context.trustedHints.includes(server.name)
    return {
      get tools() {
        return toolsOf(server, made, callMs, trustsHint)
      },
      async close() {
        await server.close()
        close()
      },
    }
  },
})

type Way = Pick<ServerOptions, 'name' | 'transport' | 'account'> & { close(): void }

function overStdio(given: Options, context: ToolsetContext): Way {
  const { command, args = [], working_dir = '.' } = given
  if (given.ref !== undefined)
    throw new ToolFailure(`\`ref: ${given.ref}\` needs Docker’s MCP gateway. Name a \`command\`.`)
  if (command === undefined) throw new ToolFailure('It names neither a `command` nor a `remote.url`.')
  const order = {
    command,
    args: args.map((each) => expandVariables(each, context.env)),
    cwd: resolve(context.cwd, expandVariables(working_dir, context.env).replace(/^~(?=\/|$)/, context.home)),
    env: commandEnvironment(context, given.env),
  }
  const transport = () => {
    const why = context.mayNotStart()
    if (why !== undefined) throw new ToolFailure(why)
    return serverTransport(order)
  }
  return { name: serverNameOf(given), transport, close() {} }
}

async function overHttp(given: Options, remote: NonNullable<Options['remote']>, context: ToolsetContext): Promise<Way> {
  const url = parseUrl(expandVariables(remote.url, context.env))
  const connections = createConnections()
  const fetch = streamingFetch({
    connections,
    allowLocal: context.allowLocal && given.allow_private_ips === true,
    limit: mostBytes,
    remedy: 'For a server of your own, set `allow_private_ips: true` on the toolset.',
  })
  const requestInit = { headers: expandAll(remote.headers ?? {}, context.env) }
  const name = serverNameOf({ ...given, remote: { url: url.href } })
  const oauth = remote.oauth && withSecret(remote.oauth, context)
  const account = hasKey(requestInit)
    ? undefined
    : await openAccount({ server: name, url, oauth, fetch }, context.signIn)
  const Kind = remote.transport_type === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport
  return {
    name,
    ...(account ? { account } : {}),
    transport: () => new Kind(url, { fetch, requestInit, ...(account ? { authProvider: account.provider } : {}) }),
    close() {
      account?.close()
      connections.close()
    },
  }
}

/** Whoever names a key has decided how to be known. */
const hasKey = ({ headers }: { headers: Record<string, string> }): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')

const withSecret = (oauth: OAuthOptions, { env }: ToolsetContext): OAuthOptions => ({
  ...oauth,
  clientId: expandVariables(oauth.clientId, env),
  ...(oauth.clientSecret && { clientSecret: expandVariables(oauth.clientSecret, env) }),
})

function parseUrl(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw new ToolFailure(`${JSON.stringify(text)} is not a URL.`)
  }
}

/** The same tool stays the same object, so that a list which did not change costs nothing. */
function toolsOf(server: Server, made: Map<object, Tool>, callMs: number, trustsHint: boolean): Tool[] {
  return server.tools.map((tool) => {
    const known = made.get(tool) ?? toolOf(server, tool, callMs, trustsHint)
    made.set(tool, known)
    return known
  })
}

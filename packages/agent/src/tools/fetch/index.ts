import { createConnections } from 'hookline/internal'
import * as z from 'zod/mini'
import { bindTool, flag, ToolFailure } from '../define.ts'
import { defineToolset } from '../toolset.ts'
import { expandAll } from '../variables.ts'
import { matchesDomain } from './domains.ts'
import { type Fetching, fetchTool } from './fetch.ts'

const domains = (doc: string) => z.optional(z.array(z.string()).check(z.minLength(1), z.describe(doc)))

export const fetchToolset = defineToolset({
  doc: 'Reads from the web. Private addresses are refused, whatever name or redirect leads to them.',
  options: z.strictObject({
    timeout: z.optional(z.int().check(z.positive(), z.describe('Seconds to wait. Default: 30.'))),
    allowed_domains: domains('The only hosts that may be asked.'),
    blocked_domains: domains('Hosts that may not be asked.'),
    allow_private_ips: z.optional(flag('This machine and private networks may be asked too.')),
    headers: z.optional(z.record(z.string(), z.string()).check(z.describe('Sent with every request.'))),
  }),
  tools: [fetchTool],
  open({ timeout = 30, allowed_domains, blocked_domains, allow_private_ips, headers }, world) {
    const connections = createConnections()
    const on: Fetching = {
      connections,
      allowLocal: world.allowLocal && allow_private_ips === true,
      headers: expandAll(headers ?? {}, world.env),
      timeoutMs: timeout * 1_000,
      restricted: allowed_domains !== undefined,
      check({ hostname }) {
        const fits = (pattern: string) => matchesDomain(hostname, pattern)
        if (allowed_domains && !allowed_domains.some(fits))
          throw new ToolFailure(`${hostname} may not be asked, only ${allowed_domains.join(', ')}.`)
        if (blocked_domains?.some(fits)) throw new ToolFailure(`${hostname} may not be asked.`)
      },
    }
    return { tools: [bindTool(fetchTool, 'fetch', on)], close: async () => connections.close() }
  },
})

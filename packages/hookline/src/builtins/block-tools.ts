import * as z from 'zod/mini'
import { defineBuiltin } from '../core/index.ts'
import { argument, deny, optional, text, texts } from './parts.ts'
import { matchesName } from './patterns.ts'

export const blockTools = defineBuiltin({
  name: 'block_tools',
  doc: 'Refuses tools by name, or all tools but some.',
  events: ['pre_tool_use', 'tool_guard', 'permission_request'],
  args: z
    .strictObject({
      tools: argument(texts, 'Names to refuse; `*` stands for anything, as in `mcp__*`.', []),
      except: optional(texts, 'Refuse everything but these.'),
      reason: optional(text, 'What to tell the model instead.'),
    })
    .check(
      z.refine(({ tools, except }) => tools.length > 0 || except !== undefined, {
        error: 'needs `tools` or `except`',
        path: ['tools'],
      }),
    ),
  fromList: (tools) => ({ tools }),
  answer({ payload }, { tools, except, reason }) {
    const name = payload.tool_name
    if (!matchesName(tools, name) && (except === undefined || matchesName(except, name))) return undefined
    return { decision: deny(reason ?? `The tool ${name} is blocked here. Use another way, or ask the user.`) }
  },
  does: ({ reason }) => (reason === undefined ? [] : ['quotes']),
  examples: [
    {
      title: 'by name',
      event: 'pre_tool_use',
      payload: { tool_name: 'mcp__browser__click', tool_input: {} },
      args: { tools: ['web_search', 'mcp__browser__*'] },
      expect: { decision: deny('The tool mcp__browser__click is blocked here. Use another way, or ask the user.') },
    },
    {
      title: 'others pass',
      event: 'pre_tool_use',
      payload: { tool_name: 'read_file', tool_input: {} },
      args: ['shell'],
      expect: undefined,
    },
    {
      title: 'only some',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: {} },
      args: { except: ['read_*'], reason: 'This session only reads.' },
      expect: { decision: deny('This session only reads.') },
    },
  ],
  canary: ({ tools: [first], except }) => ({
    title: 'a tool that is not allowed',
    event: 'pre_tool_use',
    payload: { tool_name: first?.replaceAll('*', 'x') ?? anythingBut(except ?? []), tool_input: {} },
    expect: { decision: { ruling: 'deny' } as never },
  }),
})

/** No name that these patterns match. */
const anythingBut = (patterns: readonly string[]): string =>
  ['shell', 'write_file', 'a_tool_nobody_has'].find((name) => !matchesName(patterns, name)) ?? ''

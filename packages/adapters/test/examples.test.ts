import { fileURLToPath } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'

const program = (name: string) => fileURLToPath(new URL(`../../../examples/sdks/${name}.mjs`, import.meta.url))

afterEach(() => void vi.restoreAllMocks())

/** The same rules in every SDK: what is secret is redacted, what is too much is refused, and the rest is paid. */
it.each(['ai-sdk', 'openai-agents', 'langchain', 'claude-agent-sdk', 'mcp', 'acp'])(
  'examples/sdks/%s.mjs',
  async (name) => {
    const printed: string[] = []
    vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await import(program(name))
    expect(printed).toEqual([
      'read_notes: The customer is angry. Their key is [REDACTED:github-token].',
      expect.stringMatching(/^refund: .*Nobody refunds more than 1000 here\./),
      'refund: Paid 50.',
      'paid: 50',
    ])
  },
)

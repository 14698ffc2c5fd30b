import type { Driver } from './driver.ts'
import type { Situation } from './situations.ts'

/** docs/adapters.md: what is true of every adapter, and the table of what was seen in the runs of the contract. */
export function pageOf(
  drivers: readonly Driver[],
  situations: readonly Situation[],
  seen: ReadonlySet<string>,
): string {
  const limits = drivers.flatMap(({ name, cannot }) =>
    Object.entries(cannot).map(([situation, instead]) => ({ name, situation, instead })),
  )
  const cell = ({ name, cannot }: Driver, situation: string) => {
    if (seen.has(`${name}: ${situation}`)) return '✓'
    const at = limits.findIndex((limit) => limit.name === name && limit.situation === situation)
    return Object.hasOwn(cannot, situation) ? `no (${at + 1})` : 'not run'
  }
  const rows = situations.map(({ name }) => `| ${[name, ...drivers.map((driver) => cell(driver, name))].join(' | ')} |`)
  return `${opening}
| situation | ${drivers.map(({ name }) => name).join(' | ')} |
|---|${drivers.map(() => '---|').join('')}
${rows.join('\n')}

${limits.map(({ name, situation, instead }, at) => `${at + 1}. ${name}, ${situation}: ${instead}`).join('\n')}
`
}

const opening = `# Adapters

An adapter puts Hookline into an SDK: your tools, prompts and model calls go through their hooks, and what comes back is final. How to use them is in
[Hookline in your SDK](guides/adapters.md).

| package | SDK | seams |
|---|---|---|
| \`@hookline/ai-sdk\` | \`ai\` 7, and 6 with less | \`toolApproval\`, \`execute\` and \`toModelOutput\` of tools, the model |
| \`@hookline/openai-agents\` | \`@openai/agents-core\` 0.20 | \`invoke\` and \`needsApproval\` of function tools, the model, handoffs |
| \`@hookline/langchain\` | \`langchain\` 1 | \`wrapToolCall\`, \`wrapModelCall\`, interrupts |
| \`@hookline/claude-agent-sdk\` | \`@anthropic-ai/claude-agent-sdk\` 0.3 | every hook event, \`canUseTool\` |

One contract holds for all of them: the same twenty situations must end the same way. This table is written by its runs
(\`packages/adapters/test/contract.test.ts\`); the Claude Agent SDK is played by a stand-in of its protocol, and runs
itself, with the program that it brings along, in \`npm run test:hosts claude-agent-sdk\`. What an SDK cannot carry is a note when the adapter is opened, with
what to do instead.
`

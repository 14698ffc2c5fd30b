const key = `ghp_${'x7Kd92LmPq0RtVwYz3BnCfGh5JsA8eUi1oTk'}`
const bash = (command) => ({ name: 'Bash', args: { command, description: 'a step' } })

/**
 * What an adapter does in the real SDK. Of a case: rules, bundles and hooks (`on`), options of the adapter and of the query, the turns
 * of the model, files of the project; which files are there afterwards, and what the model was told.
 */
export const sdkCases = [
  {
    name: 'a rule denies a command',
    rules: [{ deny: { run: 'touch made.txt' }, because: 'REASON-DENY' }],
    turns: [{ calls: [bash('touch made.txt')] }],
    expect: { files: { 'made.txt': false }, told: { 'REASON-DENY': true } },
  },
  {
    name: 'nothing objects',
    turns: [{ calls: [bash('touch made.txt && echo RESULT-SEEN')] }],
    expect: { files: { 'made.txt': true }, told: { 'RESULT-SEEN': true } },
  },
  {
    name: 'two hooks rewrite the input of one call, and both count',
    on: (hooks) => {
      for (const [from, to] of [
        ['one', 'uno'],
        ['two', 'due'],
      ])
        hooks.on('pre_tool_use', { tool: 'shell' }, ({ payload }) => ({
          rewrite: { mode: 'merge', value: { command: String(payload.tool_input.command).replace(from, to) } },
        }))
    },
    turns: [{ calls: [bash('touch one-two.txt')] }],
    expect: { files: { 'one-two.txt': false, 'uno-due.txt': true } },
  },
  {
    name: 'a secret in the result',
    use: ['secrets'],
    turns: [{ calls: [bash('cat notes.txt')] }],
    files: { 'notes.txt': `RESULT-OF-NOTES ${key}` },
    expect: { told: { 'RESULT-OF-NOTES': true, [key]: false } },
  },
  ...[true, false].map((approved) => ({
    name: `a rule asks, and the person says ${approved ? 'yes' : 'no'}`,
    rules: [{ ask: { run: 'touch made.txt' }, because: 'REASON-ASK' }],
    options: { ask: () => approved },
    turns: [{ calls: [bash('touch made.txt')] }],
    expect: { files: { 'made.txt': approved } },
  })),
  {
    name: 'a rule asks, and `canUseTool` of the program answers',
    rules: [{ ask: { run: 'touch made.txt' }, because: 'REASON-ASK' }],
    query: { canUseTool: async () => ({ behavior: 'deny', message: 'REASON-OF-PROGRAM' }) },
    turns: [{ calls: [bash('touch made.txt')] }],
    expect: { files: { 'made.txt': false }, told: { 'REASON-OF-PROGRAM': true } },
  },
  {
    name: 'a guard fails',
    on: (hooks) =>
      hooks.on('pre_tool_use', () => {
        throw new Error('broken')
      }),
    turns: [{ calls: [bash('touch made.txt')] }],
    expect: { files: { 'made.txt': false } },
  },
  {
    name: 'calls side by side: only one of them is denied',
    rules: [{ deny: { run: 'touch bad.txt' }, because: 'REASON-DENY' }],
    turns: [{ calls: [bash('touch bad.txt'), bash('touch good.txt')] }],
    expect: { files: { 'bad.txt': false, 'good.txt': true }, told: { 'REASON-DENY': true } },
  },
  {
    name: 'a hook adds context to the prompt',
    on: (hooks) => hooks.on('user_prompt_submit', () => ({ context: ['CONTEXT-OF-PROMPT'] })),
    turns: [],
    expect: { told: { 'CONTEXT-OF-PROMPT': true } },
  },
  {
    name: 'a hook refuses the prompt',
    on: (hooks) => hooks.on('user_prompt_submit', () => ({ decision: { ruling: 'deny', reason: 'Not today.' } })),
    turns: [{ calls: [bash('touch made.txt')] }],
    expect: { files: { 'made.txt': false } },
  },
  {
    name: 'a hook sends the agent back',
    on: (hooks) => {
      let times = 0
      hooks.on('stop', () => (times++ === 0 ? { decision: { ruling: 'deny', reason: 'REASON-STOP' } } : undefined))
    },
    turns: [{ text: 'finished' }, { calls: [bash('touch made.txt')] }],
    expect: { files: { 'made.txt': true }, told: { 'REASON-STOP': true } },
  },
  {
    name: 'a sub-agent makes the call',
    rules: [{ deny: { run: 'touch made.txt' }, because: 'REASON-DENY' }],
    turns: [
      {
        calls: [
          {
            name: 'Agent',
            args: {
              prompt: 'SUB-TASK',
              description: 'a part',
              subagent_type: 'general-purpose',
              run_in_background: false,
            },
          },
        ],
      },
      { for: (text) => text.includes('SUB-TASK'), calls: [bash('touch made.txt')] },
    ],
    expect: { files: { 'made.txt': false }, told: { 'REASON-DENY': true } },
  },
  {
    name: 'shadow mode',
    rules: [{ deny: { run: 'touch made.txt' }, because: 'REASON-DENY' }],
    options: { shadow: true },
    turns: [{ calls: [bash('touch made.txt')] }],
    expect: { files: { 'made.txt': true }, told: { 'REASON-DENY': false } },
  },
]

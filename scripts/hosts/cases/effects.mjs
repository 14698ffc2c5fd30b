import { blocked, blockedFor, guardedWrite, made } from './expect.mjs'

const big = 'x'.repeat(400_000)
const hook = (event, script, more) => [{ id: 'watch', event, script, ...more }]
const say = (text) => `printf '%s\\n' '${text}'`
const context = say('{"context":"CONTEXT-OF-THE-HOOK"}')
const shows = (event) => (row) => ({
  files: { [made]: true },
  told: { 'CONTEXT-OF-THE-HOOK': row.can.context.includes(event) },
})
const part = 'THE-PART-OF-A-SUB-AGENT'
const inPart = (text) => text.includes(part) && !text.includes('the scripted test')

/** What a verdict comes to in each agent. Where it cannot do what the verdict says, it refuses; where nothing waits, it says so. */
export const effects = [
  { name: 'no rule about it', expect: () => ({ files: { [made]: true } }) },
  { name: 'a rule denies a command', rules: guardedWrite, expect: blockedFor('REASON-OF-THE-RULE') },
  {
    name: 'a rule denies writing a file',
    rules: guardedWrite,
    turns: ({ write, path }) => [{ calls: [write(path(made), 'MARK')] }],
    expect: blockedFor('REASON-OF-THE-RULE'),
  },
  {
    name: 'a rule asks, and nobody is there',
    rules: [{ ask: { write: `**/${made}` }, because: 'REASON-OF-THE-RULE' }],
    expect: blocked,
  },
  {
    name: 'a rule allows',
    rules: [{ allow: { tool: '*' } }],
    expect: () => ({ files: { [made]: true } }),
  },
  {
    name: 'a hook rewrites the command',
    hooks: hook('pre_tool_use', say('{"rewrite":{"command":"echo REWRITTEN > rewritten.txt"}}')),
    expect: ({ rewrites }) => ({ files: { [made]: false, 'rewritten.txt': rewrites.input !== 'dropped' } }),
  },
  { name: 'context before a call', hooks: hook('pre_tool_use', context), expect: shows('pre_tool_use') },
  { name: 'context after a call', hooks: hook('post_tool_use', context), expect: shows('post_tool_use') },
  { name: 'context with the prompt', hooks: hook('user_prompt_submit', context), expect: shows('user_prompt_submit') },
  { name: 'context at the start', hooks: hook('session_start', context), expect: shows('session_start') },
  {
    name: 'a hook rewrites the result',
    hooks: hook('post_tool_use', say('{"replace":"RESULT-OF-THE-HOOK"}')),
    turns: ({ run }) => [{ calls: [run(`echo MARK > ${made}; expr 40 + 2 | sed s/^/RESULT-/`)] }],
    expect: ({ rewrites }) => ({
      files: { [made]: true },
      told: { 'RESULT-OF-THE-HOOK': rewrites.result !== 'dropped', 'RESULT-42': rewrites.result === 'dropped' },
    }),
  },
  {
    name: 'a hook refuses the prompt',
    hooks: hook('user_prompt_submit', say('{"decision":"deny","reason":"REASON-OF-THE-HOOK"}')),
    expect: ({ can }) => ({ files: { [made]: !can.refusesPrompt } }),
  },
  {
    name: 'a hook fails at the prompt',
    hooks: hook('user_prompt_submit', 'exit 1'),
    expect: ({ can }) => ({ files: { [made]: !can.refusesPrompt } }),
  },
  {
    name: 'a hook sends back to work at the end',
    hooks: hook('stop', `[ -e ${made} ] || ${say('{"decision":"deny","reason":"REASON-OF-THE-HOOK"}')}`),
    turns: ({ run }) => [{ text: 'I am done.' }, { calls: [run(`echo MARK > ${made}`)] }],
    expect: ({ can }) => ({ files: { [made]: can.redo }, told: { 'REASON-OF-THE-HOOK': can.redo } }),
  },
  {
    name: 'a hook fails at the end',
    hooks: hook('stop', 'exit 1'),
    expect: () => ({ files: { [made]: true }, ends: true }),
  },
  {
    name: 'a hook fails after a call',
    hooks: hook('post_tool_use', 'exit 1'),
    expect: () => ({ files: { [made]: true }, ends: true }),
  },
  {
    name: 'two calls at once, one denied',
    rules: guardedWrite,
    turns: ({ run }) => [{ calls: [run(`echo MARK > ${made}`), run('echo TWO > two.txt')] }],
    expect: () => ({ files: { [made]: false, 'two.txt': true }, told: { 'REASON-OF-THE-RULE': true } }),
  },
  {
    name: 'eight calls at once, each denied',
    rules: [{ deny: { write: '**/part-*.txt' }, because: 'REASON-OF-THE-RULE' }],
    turns: ({ run }) => [{ calls: [1, 2, 3, 4, 5, 6, 7, 8].map((at) => run(`echo MARK > part-${at}.txt`)) }],
    expect: () => ({ files: Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map((at) => [`part-${at}.txt`, false])) }),
  },
  {
    name: 'a call of a sub-agent',
    needs: 'delegate',
    rules: guardedWrite,
    turns: ({ delegate, waits, run }) => [
      { calls: [delegate(`${part}: run it.`)], for: (text) => !inPart(text) },
      { calls: [run(`echo MARK > ${made}`)], for: inPart },
      ...(waits ? [{ calls: [waits()], for: (text) => !inPart(text) }] : []),
    ],
    expect: blocked,
  },
  {
    name: 'a write of 400 KB, denied',
    rules: guardedWrite,
    turns: ({ write, path }) => [{ calls: [write(path(made), big)] }],
    expect: blocked,
  },
  {
    name: 'a write of 400 KB, no rule about it',
    turns: ({ write, path }) => [{ calls: [write(path(made), big)] }],
    // Grok cuts it before hooks see it.
    expect: ({ name }) => ({ files: { [made]: name !== 'grok' } }),
  },
  {
    name: 'the rule is in the project',
    project: { rules: guardedWrite },
    expect: blocked,
  },
]

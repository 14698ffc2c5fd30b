import { blocked, blockedFor, guarded } from './expect.mjs'

const big = ({ largest = 400_000 }) => 'x'.repeat(largest)
const say = (text) => `printf '%s\\n' '${text}'`
const adds = (event, text) => ({
  hook: { event, script: say(`{"context":"CONTEXT-${text}"}`) },
  expect: (row, file) => ({ files: { [file]: true }, told: { [`CONTEXT-${text}`]: row.can.context.includes(event) } }),
})
const part = 'THE-PART-OF-A-SUB-AGENT'
const inPart = (text) => text.includes(part) && !text.includes('the scripted test')
const eight = [1, 2, 3, 4, 5, 6, 7, 8]
const refuses = say('{"decision":"deny","reason":"REASON-OF-THE-HOOK"}')

/** What a verdict comes to in each agent. Where it cannot do what the verdict says, it refuses; where nothing waits, it says so. */
export const effects = [
  { name: 'no rule about it', expect: (_row, file) => ({ files: { [file]: true } }) },
  { name: 'a rule denies a command', rules: guarded, expect: blockedFor('REASON-OF-THE-RULE') },
  {
    name: 'a rule denies writing a file',
    rules: guarded,
    calls: ({ write, path }, file) => [write(path(file), 'MARK')],
    expect: blocked,
  },
  {
    name: 'a rule asks, and nobody is there',
    rules: (file) => [{ ask: { write: `**/${file}` }, because: 'REASON-OF-THE-QUESTION' }],
    expect: blocked,
  },
  {
    name: 'a rule allows',
    rules: (file) => [{ allow: { write: `**/${file}` } }],
    expect: (_row, file) => ({ files: { [file]: true } }),
  },
  {
    name: 'a hook rewrites the command',
    hook: { event: 'pre_tool_use', script: say('{"rewrite":{"command":"echo REWRITTEN > rewritten.txt"}}') },
    expect: ({ rewrites }, file) => ({ files: { [file]: false, 'rewritten.txt': rewrites.input !== 'dropped' } }),
  },
  { name: 'context before a call', ...adds('pre_tool_use', 'BEFORE') },
  { name: 'context after a call', ...adds('post_tool_use', 'AFTER') },
  { name: 'context with the prompt', ...adds('user_prompt_submit', 'WITH-THE-PROMPT') },
  { name: 'context at the start', ...adds('session_start', 'AT-THE-START') },
  {
    name: 'a hook rewrites the result',
    hook: { event: 'post_tool_use', script: say('{"replace":"RESULT-OF-THE-HOOK"}') },
    calls: ({ run }, file) => [run(`echo MARK > ${file}; expr 40 + 2 | sed s/^/RESULT-/`)],
    expect: ({ rewrites }, file) => ({
      files: { [file]: true },
      told: {
        'RESULT-OF-THE-HOOK': /taken|as-reason/.test(rewrites.result),
        'RESULT-42': rewrites.result === 'dropped',
      },
    }),
  },
  {
    name: 'a hook fails after a call',
    hook: { event: 'post_tool_use', script: 'exit 1' },
    expect: (_row, file) => ({ files: { [file]: true } }),
  },
  {
    name: 'two calls at once, one denied',
    rules: guarded,
    calls: ({ run }, file) => [run(`echo MARK > ${file}`), run(`echo TWO > two-${file}`)],
    expect: (_row, file) => ({ files: { [file]: false, [`two-${file}`]: true } }),
  },
  {
    name: 'eight calls at once, each denied',
    rules: (file) => [{ deny: { write: `**/*-of-${file}` }, because: 'REASON-OF-THE-RULE' }],
    calls: ({ run }, file) => eight.map((at) => run(`echo MARK > ${at}-of-${file}`)),
    expect: (_row, file) => ({ files: Object.fromEntries(eight.map((at) => [`${at}-of-${file}`, false])) }),
  },
  {
    name: 'a large write, denied',
    rules: guarded,
    calls: (tools, file) => [tools.write(tools.path(file), big(tools))],
    expect: blocked,
  },
  {
    name: 'a large write, no rule about it',
    calls: (tools, file) => [tools.write(tools.path(file), big(tools))],
    // Grok cuts it before hooks see it.
    expect: ({ name }, file) => ({ files: { [file]: name !== 'grok' } }),
  },
  {
    name: 'a hook sends back to work at the end',
    hook: { event: 'stop', script: `[ -e "$FILE" ] || ${say('{"decision":"deny","reason":"REASON-TO-GO-ON"}')}` },
    turns: ({ run }, file) => [{ text: 'I am done.' }, { calls: [run(`echo MARK > ${file}`)] }],
    expect: ({ can }, file) => ({ files: { [file]: can.redo }, told: { 'REASON-TO-GO-ON': can.redo } }),
  },
  {
    name: 'a hook refuses the prompt',
    alone: true,
    hook: { event: 'user_prompt_submit', script: refuses },
    expect: ({ can }, file) => ({ files: { [file]: !can.refusesPrompt } }),
  },
  {
    name: 'a hook fails at the prompt',
    alone: true,
    hook: { event: 'user_prompt_submit', script: 'exit 1' },
    expect: ({ can }, file) => ({ files: { [file]: !can.refusesPrompt } }),
  },
  {
    name: 'a hook fails at the end',
    alone: true,
    hook: { event: 'stop', script: 'exit 1' },
    expect: (_row, file) => ({ files: { [file]: true }, ends: true }),
  },
  {
    name: 'a call of a sub-agent',
    alone: true,
    needs: 'delegate',
    rules: guarded,
    turns: ({ delegate, waits, run }, file) => [
      { calls: [delegate(`${part}: run it.`)], for: (text) => !inPart(text) },
      { calls: [run(`echo MARK > ${file}`)], for: inPart },
      ...(waits ? [{ calls: [waits()], for: (text) => !inPart(text) }] : []),
    ],
    expect: blocked,
  },
  { name: 'the rule is in the project', alone: true, project: guarded, expect: blocked },
]

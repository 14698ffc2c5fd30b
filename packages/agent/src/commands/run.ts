import { configOptions, defineCommand, hookFlags, recordingOptions, trustOption } from 'hookline/internal'
import { permissionModes } from '../permissions/index.ts'

/** What each means, for the help. */
const exits: Readonly<Record<number, string>> = {
  1: 'Something went wrong: the model, the config, or the goal was given up.',
  2: 'A hook refused: the prompt, the run, the worktree or the session.',
  3: 'Stopped at a limit: model calls, or the same tool call again and again.',
  64: 'Wrong usage.',
  129: 'The terminal went away (SIGHUP).',
  130: 'Interrupted (Ctrl+C).',
  143: 'Ended by SIGTERM.',
}

export const command = defineCommand({
  name: 'run',
  summary: 'Run an agent in which every event is real.',
  usage: 'run [agent.yaml] [prompt] [options]',
  doc: [
    'Without a file, a coding agent for this directory. The file has docker-agent’s shape. On a terminal it is a',
    'conversation: type to prompt, type while it works to steer, /help for more. Otherwise it answers one prompt: the',
    'words given, `-` for standard input, or all of standard input when there are no words.',
    '',
    'Without a key for a model the rehearsal model answers, offline: it does what you type, word for word.',
  ].join('\n'),
  options: {
    model: { value: 'provider/model', doc: 'The model for every agent, in place of those of the file.' },
    rehearse: { value: 'script.yaml', doc: 'The rehearsal model plays this script.' },
    resume: { value: 'id', optional: true, doc: 'Go on with a session. Default: the latest of this directory.' },
    worktree: { value: 'name', optional: true, doc: 'Work in a git worktree of its own, on a fresh branch.' },
    print: { short: 'p', doc: 'Print the final reply and nothing else.' },
    plain: { doc: 'On a terminal: line by line, without a screen of its own, as screen readers need it.' },
    json: { doc: 'Print what happens, one JSON object per line.' },
    attach: { value: 'file', multiple: true, doc: 'A picture or a file that goes with the prompt.' },
    'permission-mode': {
      value: 'mode',
      choices: permissionModes,
      doc: '`plan`: only what reads runs. `accept-edits`: files are written without asking. `yolo`: as `--yolo`.',
    },
    acp: { doc: 'An editor drives the agent: the Agent Client Protocol on standard input and output.' },
    yolo: { doc: 'Approve every call that no hook and no rule objects to.' },
    sandbox: {
      value: 'kind',
      optional: true,
      doc: 'A shell over virtual files, in place of the real one. `bwrap` or `docker[:image]`: the real one in a container, with the workspace and without a network.',
    },
    allow: { value: 'rule', multiple: true, doc: 'Calls that need no approval, such as `shell:command=git *`.' },
    ask: { value: 'rule', multiple: true, doc: 'Calls that always need approval.' },
    deny: { value: 'rule', multiple: true, doc: 'Calls that are refused, whoever allows them.' },
    'allow-private-ips': { doc: 'Toolsets of the file that ask for it may reach this machine and private networks.' },
    'max-iterations': { value: 'count', doc: 'Model calls in one run before you are asked.' },
    snapshots: { doc: 'Remember how files were before each turn, for /undo. Needs git.' },
    channels: {
      value: 'file',
      doc: 'Where messages may be sent to. Default: the console, and `channels.yaml` beside your own config.',
    },
    ...configOptions,
    ...hookFlags,
    trust: trustOption,
    ...recordingOptions,
  },
  examples: [
    'hookline run',
    'hookline run "fix the failing test" --model anthropic/claude-sonnet-4-5',
    'hookline run agent.yaml --print "what changed since yesterday?"',
    'git diff | hookline run --print "review this:" -',
  ],
  exits,
  async run(invocation) {
    const { runAgent, serveAcp } = await import('../terminal/index.ts')
    return invocation.values['acp'] ? serveAcp(invocation) : runAgent(invocation)
  },
})

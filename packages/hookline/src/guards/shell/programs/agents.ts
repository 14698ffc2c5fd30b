import { parseArguments, readOptions } from '../../../shell/index.ts'
import { runWords } from '../scripts.ts'
import type { Family } from './rules.ts'

const OFF =
  'off|disable|enroll|uninstall|remove|reset|approve|trust|untrust|unprotect|allow|revoke|stop|kill|mute|purge'

/** An agent must not loosen the rules that hold for it. */
export const agents: Family = {
  rows: [
    {
      category: 'self-protection',
      radius: 'high',
      reason: 'It changes the rules that watch over the agent, which only a person may do.',
      commands: [
        `hookline ${OFF}`,
        `hookline * ${OFF}`,
        'hookline add ?*',
        'hookline init',
        'hookline check --fix',
        `yarn|pnpm|bun hookline ${OFF}`,
        `yarn|pnpm|bun|npm run|exec|x|dlx hookline ${OFF}`,
        'claude --dangerously-skip-permissions|--allow-dangerously-skip-permissions',
        'claude config|mcp|plugin set|add|remove|install|uninstall',
        'crush -y|--yolo',
        'gemini -y|--yolo',
        'codex --yolo|--dangerously-bypass-approvals-and-sandbox|--full-auto',
        'aider --yes-always',
        'copilot --allow-all-tools|--yolo',
        'docker-agent|cagent run --yolo',
      ],
    },
  ],
  judges: {
    // `node node_modules/hookline/dist/cli.cjs approve` is `hookline approve`.
    'node nodejs bun deno tsx': (call) => {
      const { operands } = parseArguments(call.args, readOptions('-r: --require= --import='), true)
      const [script, ...rest] = operands[0]?.text === 'run' ? operands.slice(1) : operands
      if (script && OURS.test(script.text)) runWords([{ ...script, text: 'hookline' }, ...rest], call)
      return undefined
    },
  },
}

/** Where our own command line lies when it is not called by its name. */
const OURS = /(?:^|[/\\])(?:hookline|hookline[/\\](?:.*[/\\])?cli\.c?js)$/

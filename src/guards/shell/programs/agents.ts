import type { Family } from './rules.ts'

const OFF = 'off|disable|uninstall|remove|reset|approve|trust|untrust|unprotect|allow|revoke|stop|kill|mute|purge'

/** An agent must not loosen its own leash. */
export const agents: Family = {
  rows: [
    {
      category: 'self-protection',
      radius: 'high',
      reason: 'It changes the rules that watch over the agent, which only a person may do.',
      commands: [
        `hookline ${OFF}`,
        `hookline * ${OFF}`,
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
}

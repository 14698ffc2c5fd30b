/** By what one sees that somebody uses an agent. */
export interface HostTraces {
  /** What people call it. */
  called: string
  /** Files and directories of a project, and of a person's home. */
  project: readonly string[]
  home: readonly string[]
}

/** Agents that hooks of ours can run in: those with a dialect of their own, and the foreign ones beside them. */
export const hostTraces: Readonly<Record<string, HostTraces>> = {
  'claude-code': { called: 'Claude Code', project: ['.claude'], home: ['.claude'] },
  crush: { called: 'Crush', project: ['.crush', 'crush.json', '.crush.json'], home: ['.config/crush'] },
  codex: { called: 'Codex', project: ['.codex'], home: ['.codex'] },
  copilot: { called: 'Copilot', project: ['.github/hooks', '.github/copilot'], home: ['.copilot'] },
  gemini: { called: 'Gemini CLI', project: ['.gemini'], home: ['.gemini'] },
  qwen: { called: 'Qwen Code', project: ['.qwen'], home: ['.qwen'] },
  opencode: {
    called: 'opencode',
    project: ['.opencode', 'opencode.json', 'opencode.jsonc'],
    home: ['.config/opencode'],
  },
  pi: { called: 'pi', project: ['.pi'], home: ['.pi'] },
  cline: { called: 'Cline', project: ['.cline', '.clinerules'], home: ['.cline'] },
  goose: { called: 'goose', project: [], home: ['.config/goose'] },
  grok: { called: 'Grok CLI', project: ['.grok'], home: ['.grok'] },
}

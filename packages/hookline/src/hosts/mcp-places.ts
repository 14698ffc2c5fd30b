import { type Format, type Ground, movedBy, type Scope } from './setup.ts'

/** Where an agent lists the MCP servers that it starts: a file, and the keys under which they stand by name. */
export interface McpPlace {
  path: string
  format: Format
  /** From the top of the file; `*` is every key there. */
  keys: readonly string[]
  /** The command and its arguments are one list. */
  inOne?: true
}

const plain: Format = { comments: false, byteOrderMark: false }
const commented: Format = { comments: true, byteOrderMark: false }
/** As VS Code and opencode read theirs, with `jsonc-parser`. */
const loose: Format = { ...commented, trailingCommas: true }
const servers = (path: string, format = plain, keys: readonly string[] = ['mcpServers']): McpPlace => ({
  path,
  format,
  keys,
})

type Places = (scope: Scope, ground: Ground) => readonly McpPlace[]

/** For a person and for a project, below the directory of each; none where the agent has no such file. */
const both =
  (user: (home: string, ground: Ground) => McpPlace[], project: (directory: string) => McpPlace[]): Places =>
  (scope, ground) =>
    scope === 'user' ? user(ground.home, ground) : scope === 'project' ? project(ground.project) : []

/** It reads both names, and what is in the second counts more (https://opencode.ai/docs/config/). */
const opencodeIn = (directory: string): McpPlace[] =>
  ['opencode.json', 'opencode.jsonc'].map((name) => ({
    ...servers(`${directory}/${name}`, loose, ['mcp']),
    inOne: true,
  }))

/** By host, as each documents its own file. Codex and goose keep theirs in TOML and YAML: put `hookline mcp` there by hand. */
export const mcpPlaces: Readonly<Record<string, Places>> = {
  claude: both(
    // `claude mcp add` without a scope writes below the project's directory (https://code.claude.com/docs/en/mcp).
    (_home, ground) => {
      const file = `${movedBy(ground, 'CLAUDE_CONFIG_DIR', ground.home)}/.claude.json`
      return [servers(file), servers(file, plain, ['projects', '*', 'mcpServers'])]
    },
    (project) => [servers(`${project}/.mcp.json`)],
  ),
  gemini: both(
    (home) => [servers(`${home}/.gemini/settings.json`, commented)],
    (project) => [servers(`${project}/.gemini/settings.json`, commented)],
  ),
  qwen: both(
    (home) => [servers(`${home}/.qwen/settings.json`, commented)],
    (project) => [servers(`${project}/.qwen/settings.json`, commented)],
  ),
  opencode: both(
    (home, ground) => opencodeIn(`${movedBy(ground, 'XDG_CONFIG_HOME', `${home}/.config`)}/opencode`),
    opencodeIn,
  ),
  cursor: both(
    (home) => [servers(`${home}/.cursor/mcp.json`)],
    (project) => [servers(`${project}/.cursor/mcp.json`)],
  ),
  vscode: both(
    () => [],
    (project) => [servers(`${project}/.vscode/mcp.json`, loose, ['servers'])],
  ),
  copilot: both(
    (home) => [servers(`${home}/.copilot/mcp-config.json`)],
    () => [],
  ),
  windsurf: both(
    (home) => [servers(`${home}/.codeium/windsurf/mcp_config.json`)],
    () => [],
  ),
  kiro: both(
    (home) => [servers(`${home}/.kiro/settings/mcp.json`)],
    (project) => [servers(`${project}/.kiro/settings/mcp.json`)],
  ),
  factory: both(
    (home) => [servers(`${home}/.factory/mcp.json`)],
    (project) => [servers(`${project}/.factory/mcp.json`)],
  ),
}

import { fileURLToPath } from 'node:url'
import { defineConfig, type UserConfig } from 'tsdown'
import { buildConsole } from './scripts/build-console.mjs'
import { licences, mapsWithoutSources, plainLetters } from './scripts/build-plugins.mjs'
import { edgeRooms } from './scripts/edge-rooms.mjs'
import { lazySchemas } from './scripts/lazy-schemas.mjs'

const common = {
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Readable in a debugger and in a stack trace. The sources themselves are in the repository, not in the package.
  minify: false,
  sourcemap: true,
  // jsonc-parser's `main` is a UMD file that cannot be bundled; its `module` can.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  clean: true,
} satisfies UserConfig

/** Nine tenths of the time of a build; whoever only runs what is built does without. */
const declarations = process.env['HOOKLINE_BUILD'] !== 'code' && { eager: true }

/** What every start needs: words and machine, without the parts that bring a library along, and reading the arguments. */
const everyStart =
  /\/src\/(?:(?:core|platform)\/(?!.*(?:regex|json-schema|http|look|orphan-reaper|\.d\.ts$))|cli\/(?:command|standard|agent-package|interrupt|journal-options|log\/tally|text\/paint)\.ts$)/

/** One build: the command line and the library share their chunks. What is not a peer is bundled. */
const hookline: UserConfig = {
  ...common,
  name: 'hookline',
  cwd: 'packages/hookline',
  entry: {
    index: 'src/index.ts',
    guards: 'src/guards.ts',
    internal: 'src/internal.ts',
    'internal-server': 'src/internal-server.ts',
    'internal-start': 'src/internal-start.ts',
    'edge-types': 'src/edge.ts',
    'compat/pydantic-deep': 'src/compat/pydantic-deep.ts',
    cli: 'src/cli/main.ts',
    'fork-server': 'src/executors/command/fork-server.ts',
  },
  dts: declarations,
  deps: { alwaysBundle: [/^(?!node:|@opentelemetry|jiti|@hookline)/] },
  // Each module that Node resolves and opens costs a start about a millisecond, and so does every 40 KB it parses: what every
  // start needs is one file, what every `dispatch` needs beyond it another, beside two large parts that other commands do
  // without. Groups are of code: declarations go where they would anyway.
  outputOptions: {
    codeSplitting: {
      groups: [
        { name: 'base', test: everyStart, priority: 3 },
        { name: 'shell-syntax', test: /(?:\/unbash\/|\/src\/shell\/)(?!.*\.d\.[cm]?ts$)/, priority: 2 },
        { name: 'secrets', test: /\/src\/guards\/secrets\/(?!.*\.d\.ts$)/, priority: 2 },
        { name: 'dispatch', test: /\/cli\/commands\/dispatch\.ts$/, priority: 1 },
        // What our packages need of this one, in one file; beside it, what a dispatch may need of that.
        { name: 'patterns', test: /\/(?:re2js|core\/regex)\b(?!.*\.d\.ts$)/, priority: 0.5 },
        { name: 'yaml', test: /\/node_modules\/yaml\//, priority: 0.5 },
        { name: 'connections', test: /\/src\/platform\/http\/(?!.*\.d\.ts$)/, priority: 0.5 },
        { name: 'docker-agent', test: /\/src\/dialects\/docker-agent\/(?!.*\.d\.ts$)/, priority: 0.5 },
        { name: 'door', test: /\/src\/internal\.ts$/, priority: 0 },
      ],
    },
  },
  plugins: [lazySchemas(), licences(), plainLetters(), mapsWithoutSources()],
}

/** What adapters are made of, and nothing of a machine: it runs wherever an SDK runs. */
const adapter: UserConfig = {
  ...common,
  name: 'adapter',
  cwd: 'packages/hookline',
  platform: 'neutral',
  target: 'es2022',
  entry: { adapter: 'src/adapter.ts' },
  dts: declarations,
  clean: false,
  deps: { alwaysBundle: [/^(?!node:)/] },
  plugins: [plainLetters(), mapsWithoutSources()],
}

/** The same hooks for runtimes without Node: rooms that need a machine are replaced by those of `src/edge`. */
const edge: UserConfig = {
  ...common,
  name: 'edge',
  cwd: 'packages/hookline',
  platform: 'neutral',
  target: 'es2022',
  entry: { edge: 'src/edge.ts' },
  // Declarations are those of the whole package: the build above makes them.
  dts: false,
  minify: true,
  sourcemap: false,
  clean: false,
  deps: { alwaysBundle: [/^(?!node:)/] },
  define: {
    'process.platform': '"edge"',
    'process.env': 'globalThis.process?.env',
    'process.emitWarning': 'console.warn',
  },
  // One file: bundlers of edge platforms like it best, and no chunk mixes with those of the other builds.
  outputOptions: { codeSplitting: false },
  plugins: [edgeRooms(), licences('LICENSES-edge.txt'), plainLetters(), mapsWithoutSources()],
}

const adapters = ['ai-sdk', 'openai-agents', 'langchain', 'claude-agent-sdk'].map(
  (name): UserConfig => ({
    ...common,
    name,
    cwd: `packages/adapters/${name}`,
    platform: 'neutral',
    target: 'es2022',
    entry: { index: 'src/index.ts' },
    dts: declarations,
    plugins: [plainLetters(), mapsWithoutSources()],
  }),
)

const agent: UserConfig = {
  ...common,
  name: 'agent',
  cwd: 'packages/agent',
  entry: { index: 'src/index.ts', judge: 'src/judge.ts', commands: 'src/commands.ts' },
  dts: declarations,
  deps: { alwaysBundle: [/^zod($|\/)/] },
  // As above: what every program needs of it is one file, what every `hookline run` needs beyond it another.
  outputOptions: {
    codeSplitting: {
      groups: [
        { name: 'agent', test: /\/packages\/agent\/src\/index\.ts$/, priority: 1 },
        { name: 'terminal', test: /\/src\/terminal\/index\.ts$/, priority: 0 },
      ],
    },
  },
  plugins: [lazySchemas(), licences(), plainLetters(), mapsWithoutSources()],
}

const server: UserConfig = {
  ...common,
  name: 'server',
  hooks: { 'build:done': () => buildConsole() },
  cwd: 'packages/server',
  entry: { index: 'src/index.ts', client: 'src/client.ts', commands: 'src/commands.ts', reader: 'src/store/reader.ts' },
  dts: declarations,
  deps: { alwaysBundle: [/^(?:zod|hono|@hono\/node-server)($|\/)/] },
  // As above: what it needs to listen is one file; beside it, what its threads need of that.
  outputOptions: {
    codeSplitting: {
      groups: [
        { name: 'statements', test: /\/store\/statements\.ts$/, priority: 1 },
        { name: 'start', test: /\/packages\/server\/src\/command\.ts$/, priority: 0 },
      ],
    },
  },
  plugins: [lazySchemas(), licences(), plainLetters(), mapsWithoutSources()],
}

const mcp: UserConfig = {
  ...common,
  name: 'mcp',
  cwd: 'packages/adapters/mcp',
  entry: { index: 'src/index.ts', commands: 'src/commands.ts' },
  dts: declarations,
  deps: { alwaysBundle: [/^diff($|\/)/] },
  plugins: [licences(), plainLetters(), mapsWithoutSources()],
}

const acp: UserConfig = {
  ...common,
  name: 'acp',
  cwd: 'packages/adapters/acp',
  entry: { index: 'src/index.ts', commands: 'src/commands.ts' },
  dts: declarations,
  plugins: [licences(), plainLetters(), mapsWithoutSources()],
}

/** The worker is bundled with what it uses of hookline: a thread must start fast. */
const sandbox: UserConfig = {
  ...common,
  name: 'sandbox',
  cwd: 'packages/sandbox',
  entry: { index: 'src/index.ts' },
  dts: declarations,
  plugins: [licences(), plainLetters(), mapsWithoutSources()],
}
const sandboxWorker: UserConfig = {
  ...common,
  name: 'sandbox worker',
  cwd: 'packages/sandbox',
  entry: { worker: 'src/worker.ts' },
  dts: false,
  clean: false,
  alias: { 'hookline/internal': fileURLToPath(new URL('packages/hookline/src/internal.ts', import.meta.url)) },
  treeshake: { moduleSideEffects: false },
  deps: { alwaysBundle: [/^(?!node:|just-bash)/] },
  plugins: [licences(), plainLetters(), mapsWithoutSources()],
}

export default defineConfig([hookline, adapter, edge, agent, server, sandbox, sandboxWorker, mcp, acp, ...adapters])

import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nobody } from './support/cli.ts'
import { projectRoot } from './support/project.ts'
import { remove } from './support/scratch.ts'
import { typeErrors } from './support/type-check.ts'

/** One new member: a row of a table; or a file of its own, and its line in the registry of the room. */
interface Member {
  /** The table or registry, and the line that opens it. */
  table: string
  opens: string
  row: string
  /** Its own file, where it has one; and how the registry gets at it, where the row itself does not load it. */
  file?: { path: string; text: string }
  imports?: string
}

const members: Record<string, Member> = {
  event: {
    table: 'core/events.ts',
    opens: 'export const events = {',
    row: `  on_moonrise: row({
    doc: 'The moon rises.',
    payload: { phase: field.reason('One of new, full.') },
    subject: { source: 'phase' },
    effects: ['decision', 'context', 'mood'],
    deny: 'the moon stays down',
    context: 'turn',
    failure: 'closed',
  }),`,
  },
  effect: {
    table: 'core/effects.ts',
    opens: 'export const effects = {',
    row: `  mood: effect<string>({
    doc: 'How the moon feels.',
    called: 'A mood',
    schema: z.string(),
    merge: (_earlier, later) => later,
    again: 'newest',
    reply: { keys: ['mood'], read: (reply) => reply.text('mood') || undefined, write: (mood) => ({ mood }) },
    output: { key: 'mood', schema: z.nullable(z.string()), show: (mood) => mood ?? null },
    samples: ['calm'],
  }),`,
  },
  builtin: {
    table: 'builtins/index.ts',
    opens: 'const registry = {',
    row: '  howl: () => howl,',
    imports: "import { howl } from './howl.ts'",
    file: {
      path: 'builtins/howl.ts',
      text: `import * as z from 'zod/mini'
import { defineBuiltin } from '../core/index.ts'

export const howl = defineBuiltin({
  name: 'howl',
  doc: 'Howls at the moon.',
  events: ['on_moonrise'],
  args: z.strictObject({}),
  answer: ({ payload }) => ({ context: [\`A \${payload.phase} moon: howl.\`] }),
  examples: [
    { title: 'a full moon', event: 'on_moonrise', payload: { phase: 'full' }, expect: { context: ['A full moon: howl.'] } },
  ],
})
`,
    },
  },
  executor: {
    table: 'executors/index.ts',
    opens: 'const rows: Readonly<Record<string, ExecutorRow>> = {',
    row: "  parrot: { load: async () => (await import('./parrot.ts')).createParrotExecutor(), subject: 'says', wire: true },",
    file: {
      path: 'executors/parrot.ts',
      text: `import * as z from 'zod/mini'
import { defineExecutor, type Executor } from '../core/index.ts'

export interface ParrotSpec {
  says: string
}

export function createParrotExecutor(): Executor<ParrotSpec> {
  return defineExecutor<ParrotSpec>({
    type: 'parrot',
    doc: 'Says what it was taught.',
    spec: z.strictObject({ says: z.string() }),
    pins: () => [],
    run: ({ says }) => ({ kind: 'wire', exit: 0, stdout: says, stderr: '' }),
  })
}
`,
    },
  },
  dialect: {
    table: 'dialects/index.ts',
    opens: 'const dialects: Record<string, () => Promise<Dialect>> = {',
    row: "  wolf: async () => (await import('./wolf/index.ts')).wolf,",
    file: {
      path: 'dialects/wolf/index.ts',
      text: `import { defineDialect } from '../../core/index.ts'
import { native } from '../native/index.ts'

export const wolf = defineDialect({
  name: 'wolf',
  about: 'Wolf, from what it howls.',
  events: { on_moonrise: 'Awoo' },
  config: { ...native.config, detect: () => false },
  event: {
    decode: (payload) => ({ ok: true, event: 'on_moonrise', payload: { phase: payload['moon'] }, notes: [] }),
    encode: native.event.encode,
  },
  reply: native.reply,
})
`,
    },
  },
  command: {
    table: 'cli/commands/index.ts',
    opens: 'export const commands: CommandTable = {',
    row: "  moon: { summary: 'Show the moon', load: () => import('./moon.ts') },",
    file: {
      path: 'cli/commands/moon.ts',
      text: `import { defineCommand } from '../command.ts'

export const command = defineCommand({
  name: 'moon',
  summary: 'Show the moon.',
  usage: 'moon',
  options: {},
  exits: {},
  async run({ output }) {
    output.write('The moon is up.\\n')
    return 0
  },
})
`,
    },
  },
}

const home = join(import.meta.dirname, '..')
let scratch: string
/** The package, in a workspace of its own that has everything installed that this one has. */
let copy: string
let errors: string
const entry = 'built/dist/cli.js'

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'hookline-extended-'))
  copy = join(scratch, 'package')
  cpSync(join(home, 'src'), join(copy, 'src'), { recursive: true })
  symlinkSync(join(projectRoot, 'node_modules'), join(scratch, 'node_modules'), 'dir')
  if (existsSync(join(home, 'node_modules'))) symlinkSync(join(home, 'node_modules'), join(copy, 'node_modules'), 'dir')
  // Built files look for their package one directory above.
  mkdirSync(join(copy, 'built/dist'), { recursive: true })
  for (const place of ['', 'built'])
    writeFileSync(join(copy, place, 'package.json'), JSON.stringify({ name: 'x', version: '0.0.0', type: 'module' }))
  writeFileSync(join(copy, entry), "import '../cli/main.js'\n")
  for (const member of Object.values(members)) add(member)
  const project = JSON.parse(readFileSync(join(projectRoot, 'tsconfig.json'), 'utf8')) as { compilerOptions: object }
  const emitting = { noEmit: false, rootDir: 'src', outDir: 'built', paths: {} }
  errors = typeErrors(copy, { ...project.compilerOptions, ...emitting }, ['src'])
}, 300_000)
afterAll(() => remove(scratch))

describe('one new event, effect, builtin, executor, dialect and command, each in one place', () => {
  it.each(Object.entries(members))('%s: a row, or a file and one line that loads it', (_kind, { row, file }) => {
    if (file) expect(row.split('\n')).toHaveLength(1)
    else expect(row).toMatch(/^ {2}\w+: \w+/)
  })

  it('compile', () => expect(errors).toBe(''))

  it('the command runs, and the overview shows it', async () => {
    expect(await run(['moon'])).toBe('The moon is up.\n')
    expect(await run(['--help'])).toMatch(/^ +moon +Show the moon$/m)
  })

  it('the event is raised through the dialect, and the builtin answers', async () => {
    expect(await dispatch('{ type: builtin, name: howl }')).toMatchObject({
      event: 'on_moonrise',
      context: ['A full moon: howl.'],
    })
  })

  it('the reply of the executor decides', async () => {
    const says = JSON.stringify({ decision: 'deny', reason: 'Too bright.' })
    expect(await dispatch(`{ type: parrot, says: '${says}' }`)).toMatchObject({
      decision: { ruling: 'deny', reason: 'Too bright.' },
    })
  })

  it('the effect is read from the reply, and shown', async () => {
    expect(await dispatch(`{ type: parrot, says: '{"mood":"calm"}' }`)).toMatchObject({ mood: 'calm' })
    expect(await dispatch('{ type: builtin, name: howl }')).toMatchObject({ mood: null })
  })

  it('the documentation and the schema have them all', async () => {
    for (const topic of ['on_moonrise', 'mood', 'howl', 'parrot', 'wolf', 'moon'])
      expect(await run(['docs', topic]), topic).toContain(topic)
    const schema = await run(['schema', 'config'])
    for (const name of ['on_moonrise', 'parrot']) expect(schema).toContain(`"${name}"`)
  })
})

function add({ table, opens, row, imports, file }: Member): void {
  const path = join(copy, 'src', table)
  const text = readFileSync(path, 'utf8')
  expect(text.split(`${opens}\n`), `${table} has one line: ${opens}`).toHaveLength(2)
  const extended = text.replace(`${opens}\n`, () => `${opens}\n${row}\n`)
  writeFileSync(path, imports === undefined ? extended : `${imports}\n${extended}`)
  if (!file) return
  mkdirSync(dirname(join(copy, 'src', file.path)), { recursive: true })
  writeFileSync(join(copy, 'src', file.path), file.text)
}

/** The verdict on a full moon, in the wolf dialect, with one hook that runs this. */
async function dispatch(hook: string): Promise<unknown> {
  writeFileSync(join(copy, 'hookline.yaml'), `version: 1\nhooks:\n  - event: on_moonrise\n    run: ${hook}\n`)
  const args = ['dispatch', '--dialect', 'wolf', '--config', 'hookline.yaml', '--config-dialect', 'native']
  return JSON.parse(await run([...args, '--trust', 'all', '--no-journal'], '{"moon":"full"}'))
}

/** The command line of the copy. */
async function run(args: readonly string[], input = ''): Promise<string> {
  const env = { ...process.env, ...nobody, NO_COLOR: '1' }
  const line = [join(copy, entry), ...args]
  const running = promisify(execFile)(process.execPath, line, { cwd: copy, env })
  running.child.stdin?.end(input)
  return (await running).stdout
}

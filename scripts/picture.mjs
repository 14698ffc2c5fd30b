import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { install, makeFresh } from './setup.mjs'

/**
 * Makes docs/picture.svg, the recording in the README: runs these commands for real, in a terminal and an empty project, and
 * draws what they print. docs/conversation.svg is a conversation, as it is on the screen when a question comes up. The model
 * plays a script; nothing else is staged. Run it with `npm run picture`.
 */
const columns = 100
const session = [
  'cat hookline.yaml',
  'npx hookline run "Free some disk space, then show me settings.ini" --rehearse agent.yaml',
]
const project = {
  'hookline.yaml': 'version: 1\nuse: [security, secrets] # two bundles of guards; approved with `hookline approve`\n',
  'settings.ini': 'region = eu-west-1\naccess_key = AKIAQ3EGR7XMPLK2WJTD\n',
  'agent.yaml': JSON.stringify({
    rehearsal: 1,
    turns: [
      { say: 'I clear the disk.', call: { tool: 'shell', input: { command: 'rm -fr /' } } },
      {
        say: 'Blocked. Then in disguise.',
        call: { tool: 'shell', input: { command: 'echo cm0gLWZyIC8K | base64 -d | sh' } },
      },
      { say: 'Blocked, too. Now the settings.', call: { tool: 'read_file', input: { path: 'settings.ini' } } },
      { say: 'Here they are, without the key.' },
    ],
  }),
}

const conversation = {
  'hookline.yaml': [
    'version: 1',
    'use: [security, secrets]',
    'rules:',
    '  - id: no-force',
    '    deny: { run: git push --force }',
    '    because: Force pushes are off limits here.',
    '    instead: Use git push --force-with-lease.',
    '',
  ].join('\n'),
  'retry.js': 'export async function retry(work) {\n  return work()\n}\n',
  'agent.yaml': JSON.stringify({
    rehearsal: 1,
    turns: [
      {
        say: 'I add **three attempts**, then I publish:\n\n```js\nawait retry(() => fetch(url), 3)\n```\n',
        call: {
          tool: 'edit_file',
          input: {
            path: 'retry.js',
            edits: [
              {
                oldText: 'retry(work) {\n  return work()',
                newText:
                  'retry(work, times = 3) {\n  for (; times > 1; times--) await work().catch(() => {})\n  return work()',
              },
            ],
          },
        },
      },
      { call: { tool: 'shell', input: { command: 'git push --force origin main' } } },
      { say: 'Blocked. I clean up first.', call: { tool: 'shell', input: { command: 'rm -rf data/uploads' } } },
      { say: 'Done.' },
    ],
  }),
  'data/uploads/one.bin': 'x',
}

install()
makeFresh()
const described = {
  picture:
    'A terminal: a config with two bundles, and an agent whose rm -fr / is blocked and whose secrets are redacted',
  conversation:
    'A conversation: a reply, an edit as a change, a force push that a rule blocks, and a question in a box',
}
const save = (name, cells) =>
  writeFileSync(new URL(`../docs/${name}.svg`, import.meta.url), draw(cells, described[name]))
save('picture', (await record()).flatMap(readColours))
save('conversation', await converse())

/** The screen of a conversation, as cells, when the question is on it. */
async function converse() {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-picture-'))
  try {
    const cwd = join(directory, 'project')
    mkdirSync(join(cwd, 'data/uploads'), { recursive: true })
    for (const [file, text] of Object.entries(conversation)) writeFileSync(join(cwd, file), text)
    const binary = fileURLToPath(new URL('../packages/hookline/bin/hookline.js', import.meta.url))
    const env = { PATH: process.env.PATH, HOME: directory, TERM: 'xterm-256color', LANG: 'C.UTF-8' }
    const args = [binary, 'run', '--rehearse', 'agent.yaml', '--trust', 'all', '--allow', 'edit_file']
    const window = spawn(process.execPath, args, { cwd, env, cols: columns, rows: 44 })
    const screen = new xterm.Terminal({ cols: columns, rows: 44, allowProposedApi: true })
    await new Promise((resolve, reject) => {
      let asked = false
      window.onExit(() => reject(new Error('The conversation ended early.')))
      window.onData((chunk) =>
        screen.write(chunk, () => {
          const text = cellsOf(screen).map((row) => row.map(({ character }) => character).join(''))
          if (!asked && text.some((row) => row.includes('/ commands'))) {
            asked = true
            window.write('Make retry() try three times, and publish it\r')
          }
          if (text.some((row) => row.includes('y once'))) resolve()
        }),
      )
    })
    const rows = cellsOf(screen)
    window.kill('SIGKILL')
    return rows.slice(0, rows.findLastIndex((row) => row.some(({ character }) => character.trim() !== '')) + 1)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** What is on the screen: characters with their styles. */
function cellsOf(screen) {
  const colours = [undefined, 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan']
  const { active } = screen.buffer
  return Array.from({ length: screen.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row)
    return Array.from({ length: screen.cols }, (_, column) => {
      const cell = line.getCell(column)
      const style = [cell.isBold() && 'bold', cell.isDim() && 'dim', cell.isFgPalette() && colours[cell.getFgColor()]]
      return { character: cell.getChars() || ' ', style: style.filter(Boolean).join(' ') }
    })
  })
}

async function record() {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-picture-'))
  try {
    const [cwd, home] = [join(directory, 'project'), join(directory, 'home')]
    for (const made of [cwd, home]) mkdirSync(made)
    for (const [file, text] of Object.entries(project)) writeFileSync(join(cwd, file), text)
    await run('npx hookline approve --all', cwd, home, 'y\r')
    const printed = []
    for (const command of session)
      printed.push(
        `\u001b[2m$\u001b[22m \u001b[1m${command}\u001b[22m`,
        ...(await run(`${command} < /dev/null`, cwd, home)),
        '',
      )
    return printed.slice(0, -1)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function run(command, cwd, home, answer) {
  const binary = fileURLToPath(new URL('../packages/hookline/bin/hookline.js', import.meta.url))
  const script = `npx() { shift; "${process.execPath}" "${binary}" "$@"; }\n${command}`
  const env = { PATH: process.env.PATH, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  const terminal = spawn('/bin/sh', ['-c', script], { cwd, env, cols: columns, rows: 50 })
  let printed = ''
  if (answer) terminal.write(answer)
  terminal.onData((chunk) => {
    printed += chunk
  })
  return new Promise((resolve, reject) => {
    terminal.onExit(({ exitCode }) => {
      if (exitCode !== 0) reject(new Error(`\`${command}\` exited with ${exitCode}:\n${printed}`))
      else resolve(printed.trimEnd().split(/\r?\n/))
    })
  })
}

/** A line as rows of characters with their styles, as wide as the terminal. Knows the few codes that Hookline prints. */
function readColours(line) {
  const colours = { 31: 'red', 32: 'green', 33: 'yellow', 34: 'blue', 35: 'magenta', 36: 'cyan' }
  const cells = []
  const style = new Set()
  for (const [, codes, text = ''] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
    for (const character of text) cells.push({ character, style: [...style].join(' ') })
    for (const code of codes?.split(';').map(Number) ?? []) {
      const ended = { 0: [...style], 22: ['bold', 'dim'], 39: Object.values(colours) }[code] ?? []
      for (const name of ended) style.delete(name)
      const begun = { 1: 'bold', 2: 'dim', ...colours }[code]
      if (begun !== undefined) style.add(begun)
    }
  }
  const rows = [cells.slice(0, columns)]
  for (let at = columns; at < cells.length; at += columns) rows.push(cells.slice(at, at + columns))
  return rows
}

/** Characters of a row that stand together and look the same, without the space around them. */
function runsOf(cells) {
  const runs = []
  for (const [at, { character, style }] of cells.entries()) {
    const last = runs.at(-1)
    if (last?.style === style) last.text += character
    else runs.push({ text: character, at, style })
  }
  return runs.flatMap(({ text, at, style }) => {
    const shown = text.trim()
    return shown === '' ? [] : { text: shown, at: at + text.indexOf(shown), style }
  })
}

function draw(lines, label) {
  const [character, height, margin, top] = [7.83, 20, 20, 44]
  const [width, total] = [Math.round(columns * character + 2 * margin), top + lines.length * height + margin - 6]
  const rounded = (number) => Number(number.toFixed(2))
  const texts = lines.flatMap((cells, row) =>
    runsOf(cells).map(({ text, at, style }) => {
      const [x, y] = [rounded(margin + at * character), top + row * height + 14]
      const length = rounded([...text].length * character)
      return `<text x="${x}" y="${y}" textLength="${length}"${style && ` class="${style}"`}>${escaped(text)}</text>`
    }),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" width="${width}" height="${total}" role="img" aria-label="${label}">
<style>
  .paper { fill: #f6f8fa; stroke: #d0d7de }
  .button { fill: #d0d7de }
  text { fill: #1f2328; font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
  .bold { font-weight: 600 } .dim { fill: #656d76 }
  .red { fill: #c62631 } .green { fill: #1a7f37 } .yellow { fill: #8a5a00 } .blue { fill: #0969da } .magenta { fill: #8250df } .cyan { fill: #0b6e7f }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117; stroke: #30363d }
    .button { fill: #30363d }
    text { fill: #e6edf3 }
    .dim { fill: #8d96a0 }
    .red { fill: #ff7b72 } .green { fill: #3fb950 } .yellow { fill: #d29922 } .blue { fill: #58a6ff } .magenta { fill: #bc8cff } .cyan { fill: #56c8d8 }
  }
</style>
<rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${total - 1}" rx="8"/>
${[20, 38, 56].map((x) => `<circle class="button" cx="${x + 4}" cy="20" r="5.5"/>`).join('')}
${texts.join('\n')}
</svg>
`
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

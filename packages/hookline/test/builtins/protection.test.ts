import { execFileSync } from 'node:child_process'
import { cpSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { askBuiltin } from '../support/ask-builtin.ts'
import { makeWorld } from '../support/world.ts'

const world = makeWorld()
afterAll(() => world.remove())
const ours = fileURLToPath(new URL('../../', import.meta.url))
world.write({
  'node_modules/hookline/dist/cli.js': '',
  'hookline.yaml': 'version: 1\n',
  'hooks.js': 'console.log(1)\n',
  'a.txt': '',
})
for (const place of ['.config/hookline', '.local/state/hookline'])
  mkdirSync(join(world.home, place), { recursive: true })

const kit = {
  ...world.kit,
  protectedFiles: ['.config/hookline', '.local/state/hookline'].map((place) => join(world.home, place)),
}
const ask = async (tool_name: string, tool_input: Record<string, unknown>) => {
  const opinion = await askBuiltin('self_protection', 'pre_tool_use', { tool_name, tool_input }, undefined, {
    ...world,
    kit,
  })
  return opinion?.decision?.ruling ?? 'nothing'
}
const shell = (command: string) => ask('shell', { command })

describe('what lies above a protected path goes with it', () => {
  it.each([
    'mv ~/.config x',
    'mv ~/.config/ /tmp/x',
    'cd ~ && mv .config elsewhere',
    'rm -rf ~/.config',
    'rm -r ~/.local',
    'rm -rf ~/.local/state',
    'rm -rf ~',
    'sudo rm -rf "$HOME/.local/state"',
    'sh -c "mv ~/.local x"',
    'find ~/.config -delete',
    'chmod 000 ~/.config',
    'chmod -R a-rwx ~/.local',
    'chown nobody ~/.local/state',
    'mv --exchange x ~/.config',
    'mount --bind /tmp/empty ~/.config',
    'rename s/config/x/ ~/.config',
    'git -C ~ mv .config x',
    `python3 -c "import shutil; shutil.rmtree('${world.home}/.config')"`,
    `perl -e "rename '${world.home}/.config', 'x'"`,
    `node -e "require('fs').renameSync('${world.home}/.local', 'x')"`,
    'rsync -a --delete empty/ ~/.config/',
    'tar xf evil.tar -C ~/.config',
    'unzip -o evil.zip -d ~',
    'docker run -v ~/.config:/c alpine sh',
    'podman run --mount type=bind,source=$HOME/.local/state/hookline,target=/s alpine',
    'bwrap --bind / / --tmpfs ~/.config -- sh',
    `awk 'BEGIN { print > ENVIRON["HOME"] "/.config/hookline/hooks.yaml" }'`,
    'git -C ~ stash -u',
    'cd ~ && git init && git stash -u',
    'git -C ~ init && git -C ~ add . && git -C ~ stash',
    'git --git-dir=/tmp/g --work-tree=$HOME stash --all',
    'GIT_DIR=/tmp/g GIT_WORK_TREE=$HOME git stash -u',
    'cd ~ && tar xf /tmp/x.tar',
    'cd ~ && curl -s http://x.example/x.tar | tar x',
    'pushd ~; unzip -o /tmp/x.zip',
  ])('%s', async (command) => {
    expect(await shell(command)).toBe('deny')
  })

  it.each(['move_file', 'mcp__files__rename', 'remove_directory', 'mcp__disk__delete_path'])(
    'through %s',
    async (tool) => {
      expect(await ask(tool, { path: join(world.home, '.config'), source: join(world.home, '.config') })).toBe('deny')
    },
  )

  it.each([
    'mkdir -p ~/.config/other',
    'mv a.txt b.txt',
    'cp a.txt ~/.config/',
    'touch ~/x',
    'rm -rf node_modules',
    'tar xf a.tar',
    'chmod -R u+w .',
    'cp -r dist/. .',
    `python3 -c "open('x', 'w').write('y')"`,
    'npm test',
    'ls ~/.config',
    'tar xzf a.tgz -C vendor',
    'docker run -v $PWD:/app node npm test',
    'docker run -v ~/.config:/c:ro alpine ls /c',
  ])('and what leaves it there is fine: %s', async (command) => {
    expect(await shell(command)).toBe('nothing')
  })
})

describe('another name for a protected path is no way to it', () => {
  world.write({ '.claude/settings.json': '{}' })
  it.each([
    'ln -s ~/.config y && rm -rf y/hookline',
    'ln -s ~ y; mv y/.config z',
    'ln -s ~/.config y; echo "hooks: []" > y/hookline/hooks.yaml',
    'ln -s ../../.config ~/a/y && rm -rf ~/a/y/hookline',
    'ln --symbolic $HOME y && chmod 000 y/.config',
    'cp -rs ~/.config y; echo > y/hookline/hooks.yaml',
    'ln .claude/settings.json y',
    'ln .claude/settings.json y && echo {} > y',
    'cd .claude && ln settings.json ../y',
    'link .claude/settings.json y',
    'cp -al .claude y',
  ])('%s', async (command) => expect(await shell(command)).toBe('deny'))

  it.each([
    'ln -s dist/a.js b.js',
    'ln -sfn releases/2 current && rm -rf current/tmp',
    'ln a.txt b.txt',
    'cp -al src copy',
  ])('and other links are fine: %s', async (command) => expect(await shell(command)).toBe('nothing'))
})

describe('a link that leads to a protected path stays', () => {
  const linked = makeWorld()
  afterAll(() => linked.remove())
  mkdirSync(join(linked.home, 'dotfiles/hookline'), { recursive: true })
  symlinkSync('dotfiles', join(linked.home, '.config'))
  it.each([
    'ln -sfn /tmp/x ~/.config',
    'ln -sfT /tmp/x ~/.config',
    'cd ~ && ln -sfn x .config',
    'rm ~/.config',
    'mv ~/.config x',
  ])('%s', async (command) => {
    const payload = { tool_name: 'shell', tool_input: { command } }
    const place = { ...linked, kit: { ...linked.kit, protectedFiles: [] } }
    const opinion = await askBuiltin('self_protection', 'pre_tool_use', payload, undefined, place)
    expect(opinion?.decision?.ruling).toBe('deny')
  })
})

describe('a repository in the home takes the user’s own layer nowhere', () => {
  const dotfiles = makeWorld()
  afterAll(() => dotfiles.remove())
  mkdirSync(join(dotfiles.home, '.config/hookline'), { recursive: true })
  writeFileSync(join(dotfiles.home, '.config/hookline/hooks.yaml'), 'version: 1\n')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: dotfiles.home })
  git('init', '-q')
  git('add', '.config')
  git('commit', '-qm', 'one')
  const rulingOf = async (command: string) => {
    const protectedFiles = [join(dotfiles.home, '.config/hookline/hooks.yaml')]
    const payload = { tool_name: 'shell', tool_input: { command } }
    const place = { ...dotfiles, kit: { ...dotfiles.kit, protectedFiles } }
    return (
      (await askBuiltin('self_protection', 'pre_tool_use', payload, undefined, place))?.decision?.ruling ?? 'nothing'
    )
  }

  it.each(['git -C ~ switch --orphan empty', 'cd ~ && git checkout other', 'git -C ~ pull', 'git -C ~ stash'])(
    '%s',
    async (command) => expect(await rulingOf(command)).toBe('deny'),
  )
  it.each(['git -C ~ status', 'git -C ~ log', 'git switch other', 'git pull'])(
    'and the rest is fine: %s',
    async (command) => expect(await rulingOf(command)).toBe('nothing'),
  )
})

describe('git takes nothing away that watches over the agent', () => {
  const repository = makeWorld()
  afterAll(() => repository.remove())
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: repository.cwd })
  repository.write({ 'hookline.yaml': 'version: 1\n', '.claude/settings.json': '{}', 'a.txt': '1', 'src/b.txt': '1' })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'one')
  const rulingOf = async (command: string) => {
    const protectedFiles = [join(repository.cwd, 'hookline.yaml')]
    const payload = { tool_name: 'shell', tool_input: { command } }
    const place = { ...repository, kit: { ...repository.kit, protectedFiles } }
    const opinion = await askBuiltin('self_protection', 'pre_tool_use', payload, undefined, place)
    return opinion?.decision?.ruling ?? 'nothing'
  }

  it.each([
    'git stash -- .claude',
    'git stash push -m later hookline.yaml',
    "git checkout other -- '*.yaml'",
    "git restore --source=HEAD~1 ':(glob)*.yaml'",
    'git checkout other -- .claude/settings.json',
    'git rm -r .',
    'git rm -rq .claude',
    'git mv .claude elsewhere',
    'git clean -fdx .claude',
    'git sparse-checkout set src',
    'git diff HEAD~1 -- hookline.yaml | git apply -R',
    'git update-index --skip-worktree hookline.yaml',
  ])('%s', async (command) => expect(await rulingOf(command)).toBe('deny'))

  const whole = ['git stash', 'git stash push -m later', 'git reset --hard', 'git checkout .', 'git restore :/']
  it('what puts the whole tree back is refused only while a rule stands in no commit', async () => {
    const rulings = () => Promise.all(whole.map(rulingOf))
    expect(await rulings()).toEqual(whole.map(() => 'nothing'))
    repository.write({ 'hookline.yaml': 'version: 1\nrules: []\n' })
    expect(await rulings()).toEqual(whole.map(() => 'deny'))
    expect(await rulingOf('git stash list')).toBe('nothing')
    expect(await rulingOf('git stash push src/b.txt')).toBe('nothing')
  })
})

describe('the socket of the daemon', () => {
  const usual = '~/.local/share/hookline/run/daemon.sock'
  it.each([usual, '/tmp/hookline-1000-0123456789abcdef/daemon.sock'])(
    'is not spoken to, moved or removed: %s',
    async (at) => {
      for (const line of [`nc -U ${at}`, `rm ${at}`, `mv mine.sock ${at}`, `curl --unix-socket ${at} http://x/`])
        expect([line, await shell(line)]).toEqual([line, 'deny'])
    },
  )
})

describe('our command line is a person’s, by whatever name and through whatever program', () => {
  const copy = join(world.home, 'copy')
  cpSync(join(ours, 'bin'), join(copy, 'bin'), { recursive: true })
  writeFileSync(join(copy, 'package.json'), '{"name":"hookline"}')
  mkdirSync(join(world.home, 'bundle'))
  writeFileSync(join(world.home, 'bundle/tool.js'), '/* hookline */ process.env.HOOKLINE_APPROVE_TOKEN')
  writeFileSync(join(world.cwd, 'drive.py'), "import pty\npty.spawn(['hookline', 'approve', '--all'])\n")
  writeFileSync(join(world.cwd, 'drive.sh'), 'exec npx hookline off\n')
  writeFileSync(join(world.cwd, 'drive'), "#!/usr/bin/env python3\nimport os\nos.system('hookline off')\n", {
    mode: 0o755,
  })
  writeFileSync(join(world.cwd, 'lib.mjs'), "import { openTrust } from 'hookline'\nawait openTrust().revoke('all')\n")

  it.each([
    'hookline approve --all',
    'npx hookline approve',
    'npx -y hookline@latest off',
    'npm exec -- hookline allow "rm *"',
    'pnpm dlx hookline revoke --all',
    'hookline rules pending --accept x',
    'hookline check --fix',
    'node node_modules/hookline/bin/hookline.js approve',
    `node ${join(ours, 'bin/hookline.js')} approve --all`,
    `node ${join(copy, 'bin/hookline.js')} off`,
    `node ${join(world.home, 'bundle/tool.js')} approve`,
    `${join(copy, 'bin/hookline.js')} approve`,
    'h=hook; "$h"line approve',
    "printf 'y\\n' | script -qec 'hookline approve' /dev/null",
    "script -qec 'node node_modules/hookline/dist/cli.js approve --all' /dev/null",
    "expect -c 'spawn hookline approve; expect y/N; send y\\r'",
    "socat - EXEC:'hookline approve --all',pty,setsid,ctty",
    'unbuffer -p hookline approve',
    `python3 -c "import pty; pty.spawn(['hookline', 'approve'])"`,
    `python3 -c "import pty; pty.spawn(['npx','hookline','off'])"`,
    `ruby -rpty -e 'PTY.spawn("hookline approve --all")'`,
    `node -e "require('child_process').execSync('hookline off')"`,
    "tmux send-keys -t main 'hookline approve --all' Enter",
    "screen -X stuff 'hookline approve\\n'",
    "echo 'hookline approve --all' | at now",
    "echo 'hookline off' | tmux load-buffer -",
    'systemd-run --user hookline approve',
    'ssh localhost hookline off',
    'setsid hookline approve',
    'python3 drive.py',
    'sh drive.sh',
    'python3 < drive.py',
    './drive',
    'node lib.mjs',
    `node -e "import('hookline').then((h)=>h.openTrust().approve([]))"`,
    `node -e "process.argv=['','','off'];import('./node_modules/hookline/dist/cli.js')"`,
    "tmux send-keys 'hook'; tmux send-keys 'line ' 'off' Enter",
    'hookline $VERB',
    'hookline --config x off',
    'hookline new-command-of-tomorrow',
    'hookline dispatch --trust all',
    'hookline run --trust=all agent.yaml',
    'hookline sessions delete 1',
  ])('%s', async (command) => {
    expect(await shell(command)).toBe('deny')
  })

  it.each([
    'hookline list',
    'hookline deny "git push --force"',
    'npx hookline doctor',
    'hookline explain "npm test"',
    'hookline explain git reset --hard',
    'hookline rules',
    'hookline run agent.yaml',
    'tmux send-keys "npm test" Enter',
    'grep -rn hookline src',
    'grep -rn "hookline approve" docs',
    'git commit -m "Say when to run hookline approve"',
    'git commit -m "Say when to run hookline approve" && npm test',
    'echo "now run hookline approve yourself"',
    'node hooks.js approve',
    'npm run approve',
    './deploy.sh off',
  ])('and the rest is anybody’s: %s', async (command) => {
    expect(await shell(command)).toBe('nothing')
  })
})

describe('our program stays what it is, and in the way', () => {
  world.write({ '../named-like-us/package.json': '{ "name": "hookline", "version": "9.9.9" }' })
  world.write({ 'quiet.json': '{ "disableAllHooks": true }', 'fine.json': '{ "model": "opus" }' })
  it.each([
    'npm uninstall hookline',
    'pnpm remove -g hookline',
    'npm link ../elsewhere/hookline',
    'npm install hookline@npm:other',
    'npm install hookline@file:../other',
    'npm i -g hookline@0.0.1',
    'npm install --global hookline',
    'npm i -gD hookline@latest',
    'npm --prefix /usr/local install hookline@0.0.1',
    'npm update -g hookline',
    'sudo npm install -g @hookline/agent@0.0.1',
    'pnpm add -g hookline@0.0.1',
    'yarn global add hookline@0.0.1',
    'bun add -g hookline@0.0.1',
    'deno install -g npm:hookline@0.0.1',
    'volta install hookline@0.0.1',
    'volta uninstall hookline',
    'mise use -g npm:hookline@0.0.1',
    'brew uninstall hookline',
    'npm i -g ./hookline-0.0.1.tgz',
    'npm i -g ../named-like-us',
    'npm i hookline@github:somebody/else',
    'npx hookline@0.0.1 list',
    'npx -y hookline@0.0.1 install claude',
    'npx -p hookline@0.0.1 hookline list',
    'npx --package=hookline@0.0.1 -- hookline list',
    'npm exec hookline@0.0.1 -- list',
    'pnpm dlx hookline@0.0.1 list',
    'bunx hookline@0.0.1 list',
    "bash -c 'npm i -g hookline@0.0.1'",
    'echo > node_modules/hookline/dist/cli.js',
    'rm -rf node_modules/hookline',
    'ln -sf /bin/true node_modules/.bin/hookline',
    'cp evil ~/.local/bin/hookline',
    'cp -r node_modules/hookline/dist /tmp/other',
    'claude --settings \'{"disableAllHooks":true}\' -p x',
    'codex -c features.hooks=false exec x',
    'opencode --pure run x',
    'gemini extensions uninstall hookline',
    'HOME=/tmp/empty claude -p x',
    'CODEX_HOME=/tmp/empty codex exec x',
    'env XDG_CONFIG_HOME=/tmp/empty opencode run x',
    "NODE_OPTIONS='--require ./x.js' claude -p x",
    'export NODE_OPTIONS=--import=./x.mjs; codex exec x',
    'env LD_LIBRARY_PATH=./lib gemini -p x',
    'systemctl --user set-environment NODE_OPTIONS=--require=/tmp/x.js',
    'launchctl setenv XDG_STATE_HOME /tmp/x',
    'tmux set-environment -g HOOKLINE_DATA_DIR /tmp/x',
    "npm config set node-options '--require=/tmp/x.js'",
    'HOME=/tmp/x; export HOME; claude -p x',
    'HOME=/tmp/x exec claude -p x',
    'HOME=/tmp/x timeout 60 claude -p x',
    "HOME=/tmp/x bash -c 'claude -p x'",
    'HOME=/tmp/x npx -y @anthropic-ai/claude-code@2 -p x',
    'HOME=/tmp/x node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js -p x',
    'env -u XDG_CONFIG_HOME opencode run x',
    'env -i claude -p x',
    'unset CLAUDE_CONFIG_DIR; claude -p x',
    'sudo claude -p x',
    'runuser -u nobody -- codex exec x',
    'docker run -v $PWD:/w node npx @anthropic-ai/claude-code -p x',
    'npx @anthropic-ai/claude-code --bare -p x',
    'npx @google/gemini-cli extensions disable hookline',
    'codex --disable hooks exec x',
    'claude --settings /tmp/missing.json -p x',
    'claude --settings quiet.json -p x',
    'claude --settings=quiet.json -p x',
    "echo '{}' > fine.json; claude --settings fine.json -p x",
    'HOME=/tmp/x hookline run agent.yaml',
  ])('%s', async (command) => {
    expect(await shell(command)).toBe('deny')
  })

  it.each(['npm install hookline@0.2.0 react', 'yarn add -D hookline@^0.1.0'])(
    'the user decides about an old version in a project: %s',
    async (command) => {
      expect(await shell(command)).toBe('ask')
    },
  )

  it.each([
    'npm install',
    'npm install -D hookline@latest',
    'npm install hookline',
    'npm ci && npm update',
    'npx hookline list',
    'npx -y hookline@latest list',
    'npm view hookline versions',
    'npm install -g typescript',
    'npm i -g .',
    'npm uninstall react',
    'cat node_modules/hookline/README.md',
    'claude -p "Fix the bug"',
    'codex exec x',
    'DEBUG=1 EDITOR=vim claude -p "What does NODE_OPTIONS do?"',
    'tmux set-environment LANG C',
    'claude -p "What does HOME=/tmp do?"',
    'claude --settings fine.json -p x',
    'HOME=/tmp/x npm install',
    'sudo apt-get install -y jq && claude -p x',
    'docker run node npm test',
  ])('and ordinary work goes on: %s', async (command) => {
    expect(await shell(command)).toBe('nothing')
  })

  it.each(['gdb -p 123 -batch -ex "call exit(0)"', 'strace -p 123', 'tar xPf a.tar'])(
    'what may be harmless is asked: %s',
    async (command) => {
      expect(await shell(command)).toBe('ask')
    },
  )

  it('a script that names our places is asked about; a task and a patch count by what they do', async () => {
    world.write({
      'clean.py': "import shutil, os\nshutil.rmtree(os.path.expanduser('~/.config/hookline'))\n",
      Makefile: 'off:\n\thookline off\nbuild:\n\ttouch built\n',
      'evil.patch': '--- a/hookline.yaml\n+++ b/hookline.yaml\n@@ -1 +1 @@\n-a\n+b\n',
    })
    expect(await shell('python3 clean.py')).toBe('ask')
    expect(await shell('make off')).toBe('deny')
    expect(await shell('make build')).toBe('nothing')
    expect(await shell('git apply evil.patch')).toBe('deny')
    expect(await shell('patch -p1 < evil.patch')).toBe('deny')
  })
})

describe('a tool that nobody has described', () => {
  const config = join(world.home, '.config/hookline/hooks.yaml')
  it.each<[string, Record<string, unknown>]>([
    ['mcp__fs__put', { location: config, text: '' }],
    ['mcp__fs__write', { uri: `file://${config}` }],
    ['mcp__fs__create_symlink', { target: '/tmp/x', link: 'hookline.yaml' }],
    ['mcp__fs__extract', { archive: 'a.zip', dest: join(world.home, '.config') }],
    ['mcp__box__exec', { argv: ['hookline', 'off'] }],
    ['mcp__box__run_code', { code: "import os; os.system('hookline off')" }],
    ['mcp__term__send', { text: 'hookline approve --all\n' }],
    ['write_stdin', { session_id: 1, chars: 'hookline off\n' }],
    ['mcp__box__eval', { expression: `require('fs').rmSync('${join(world.home, '.config')}', { recursive: true })` }],
    ['mcp__box__run_code', { code: "import shutil, pathlib\nshutil.rmtree(pathlib.Path.home() / '.local' / 'state')" }],
    ['mcp__box__python', { source: `open('${config}', 'w')` }],
  ])('does not reach what watches over the agent: %s', async (tool, input) => {
    expect(await ask(tool, input)).toBe('deny')
  })

  it.each<[string, Record<string, unknown>]>([
    ['mcp__fs__read_file', { path: config }],
    ['mcp__fs__put', { location: '/tmp/a.txt', content: 'run hookline approve' }],
    ['mcp__github__create_issue', { title: 'x', body: 'Then run `hookline off`.' }],
    ['mcp__box__run_code', { code: 'print(1)' }],
    ['mcp__box__run_code', { code: "os.remove('dist/a.js'); open('.config/app.json')" }],
    ['mcp__box__run_code', { code: "print(Path.home() / '.config')" }],
  ])('and does its work: %s', async (tool, input) => {
    expect(await ask(tool, input)).toBe('nothing')
  })
})

describe('another name of the same file is the same file', () => {
  mkdirSync(join(world.home, '.claude'), { recursive: true })
  for (const file of ['.config/hookline/hooks.yaml', '.local/state/hookline/approvals.json', '.claude/settings.json'])
    writeFileSync(join(world.home, file), '{}')
  linkSync(join(world.home, '.config/hookline/hooks.yaml'), join(world.cwd, 'notes.yaml'))
  linkSync(join(world.home, '.local/state/hookline/approvals.json'), join(world.cwd, 'data.json'))
  linkSync(join(world.home, '.claude/settings.json'), join(world.cwd, 'settings-copy.json'))
  linkSync(join(world.cwd, 'a.txt'), join(world.cwd, 'b.txt'))

  it.each(['notes.yaml', 'data.json', 'settings-copy.json'])('%s', async (name) => {
    expect(await ask('write_file', { path: name, content: 'x' })).toBe('deny')
    expect(await ask('edit_file', { path: name, old_string: '', new_string: 'x' })).toBe('deny')
    expect(await ask('some_tool', { file: join(world.cwd, name) })).toBe('deny')
    for (const command of [`echo x > ${name}`, `cp hooks.js ./${name}`, `tee -a ${name} < hooks.js`, `dd of=${name}`])
      expect([command, await shell(command)]).toEqual([command, 'deny'])
  })

  it.each([
    'cp -al ~/.config c',
    'cp -rl ~ c',
    'cd ~ && cp --recursive --link .local c',
    'rsync -a --link-dest=$HOME/.config ~/.config/ c/',
    'pax -rwl ~/.config c',
  ])('nobody makes one for a whole directory: %s', async (command) => {
    expect(await shell(command)).toBe('deny')
  })

  it.each(['echo x > b.txt', 'cp -al node_modules c', 'cp -a hooks.js c', 'rm notes.yaml', 'cat data.json'])(
    'and other files may have several: %s',
    async (command) => {
      expect(await shell(command)).toBe('nothing')
    },
  )
})

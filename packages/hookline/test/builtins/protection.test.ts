import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { askBuiltin } from '../support/ask-builtin.ts'
import { makeWorld } from '../support/world.ts'

const world = makeWorld()
afterAll(() => world.remove())
const ours = fileURLToPath(new URL('../../', import.meta.url))
world.write({ 'hookline.yaml': 'version: 1\n', 'hooks.js': 'console.log(1)\n', 'a.txt': '' })
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
  ])('and what leaves it there is fine: %s', async (command) => {
    expect(await shell(command)).toBe('nothing')
  })
})

describe('our command line is a person’s, by whatever name and through whatever program', () => {
  const copy = join(world.home, 'copy')
  cpSync(join(ours, 'bin'), join(copy, 'bin'), { recursive: true })
  writeFileSync(join(copy, 'package.json'), '{"name":"hookline"}')
  mkdirSync(join(world.home, 'bundle'))
  writeFileSync(join(world.home, 'bundle/tool.js'), '/* hookline */ process.env.HOOKLINE_APPROVE_TOKEN')
  writeFileSync(join(world.cwd, 'drive.py'), "import pty\npty.spawn(['hookline', 'approve', '--all'])\n")
  writeFileSync(join(world.cwd, 'drive.sh'), 'exec npx hookline off\n')

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
  ])('%s', async (command) => {
    expect(await shell(command)).toBe('deny')
  })

  it.each([
    'hookline list',
    'hookline deny "git push --force"',
    'npx hookline doctor',
    'hookline explain "npm test"',
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

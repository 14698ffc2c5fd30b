import { describe, expect, it } from 'vitest'
import { judging } from './support.ts'

describe('deny matches loosely', () => {
  const table: [pattern: string, matches: string[], passes: string[]][] = [
    [
      'git push --force',
      [
        'git push --force',
        'git push -f',
        'git push origin main --force',
        'git push --force=yes origin',
        'git -C sub push -f origin main',
        'git --git-dir=/x/.git push --force',
        '/usr/bin/git push --force',
        'sudo git push -f',
        'env A=1 nice git push --force',
        'bash -c "git push --force"',
        "sh -c 'cd x && git push -fu origin main'",
        'true && git push -f || false',
        'echo $(git push --force)',
        'echo "git push --force" | bash',
        'git "push" --fo""rce',
        'FORCE=1 git push --force > log.txt 2>&1 &',
        'xargs git push --force < list',
      ],
      [
        'git push',
        'git push --force-with-lease',
        'git push --force-if-includes',
        'git stash push --force',
        'git log --grep push',
        'echo git push --force',
        'git commit -m "git push --force"',
        'npm push --force',
      ],
    ],
    [
      'git push --force-with-lease',
      ['git push --force-with-lease', 'git push --force-with-lease=main'],
      ['git push --force', 'git push -f'],
    ],
    [
      'rm -rf *',
      [
        'rm -rf x',
        'rm -fr x',
        'rm -r -f x',
        'rm --recursive --force x',
        'rm -f y -R x',
        'rm --recurs --force x',
        'rm -vrf x',
      ],
      ['rm x', 'rm -f x', 'rm -r x', 'rmdir x', 'git rm -rf x'],
    ],
    ['rm -rf /', ['rm -rf /', 'rm -rf x /', 'rm -rf //', 'rm -rf /.'], ['rm -rf /tmp/x', 'rm -rf ./x']],
    [
      'npm publish',
      ['npm publish', 'npm publish --access public', 'npm --prefix pkg publish'],
      ['npm run publish', 'npm pack'],
    ],
    ['npm install', ['npm i', 'npm install left-pad', 'npm add x'], ['npm ci', 'npm test']],
    ['npm run deploy*', ['npm run deploy', 'npm run deploy:prod', 'npm run-script deploy'], ['npm run build']],
    [
      'curl --output *',
      ['curl -o x https://a.example', 'curl --output=x https://a.example'],
      ['curl https://a.example'],
    ],
    [
      'kubectl delete --namespace=prod',
      ['kubectl delete pod x -n prod', 'kubectl --namespace prod delete pod x'],
      ['kubectl delete pod x -n dev'],
    ],
    [
      'terraform apply -auto-approve',
      ['terraform apply -auto-approve', 'terraform apply --auto-approve'],
      ['terraform apply', 'terraform plan -auto-approve'],
    ],
    ['find -delete', ['find . -name x -delete'], ['find . -name delete', 'find . -depth']],
    [
      'git branch -D',
      ['git branch -D x', 'git branch --delete --force x', 'git branch -df x'],
      ['git branch -d x', 'git branch'],
    ],
    ['sudo *', ['sudo ls', 'sudo -u root ls'], ['ls sudo']],
    ['python*', ['python3 x.py', 'python -V'], ['pypy x']],
    ['docker system prune', ['docker system prune -af'], ['docker prune', 'docker image prune']],
  ]
  it.each(table)('%s', async (pattern, matches, passes) => {
    const { run } = await judging([{ deny: { run: pattern }, unknown: 'pass' }])
    for (const command of matches) expect([command, await run(command)]).toEqual([command, 'deny'])
    for (const command of passes) expect([command, await run(command)]).toEqual([command, '-'])
  })
})

describe('allow matches strictly', () => {
  const table: [pattern: string[], covered: string[], not: string[]][] = [
    [
      ['npm test', 'git status'],
      ['npm test', 'npm  "test"', 'git status', 'npm test && git status', 'git status; npm t'],
      [
        'npm test --watch',
        'npm test x',
        'npm test && rm x',
        'npm test > out.txt',
        'npm test < in.txt',
        'CI=1 npm test',
        'sudo npm test',
        'bash -c "npm test"',
        'npm test &',
        'npm --prefix /x test',
        '/tmp/npm test',
        './npm test',
        'npm test $(whoami)',
        'npm test $X',
        '$X npm test',
        'npm test | sh',
        'git -C /x status',
        'eval "npm test"',
        'npm tests',
      ],
    ],
    [
      ['npm run *'],
      ['npm run', 'npm run build', 'npm run build --watch'],
      ['npm run build && rm x', 'npm run $X', 'npm exec x'],
    ],
    [
      ['git log --oneline -n *'],
      ['git log --oneline -n 5', 'git log -n 5 --oneline'],
      ['git log -n 5', 'git log --oneline'],
    ],
    [['git log --oneline'], ['git log --oneline'], ['git log --oneline --output=x', 'git log']],
    [
      ['curl -o out https://a.example'],
      ['curl https://a.example -o out'].slice(1),
      ['curl -o/etc/passwd https://a.example', 'curl -oout https://b.example'],
    ],
  ]
  it.each(table)('%j', async (patterns, covered, not) => {
    const { run } = await judging([{ allow: { run: patterns } }])
    for (const command of covered) expect([command, await run(command)]).toEqual([command, 'allow'])
    for (const command of not) expect([command, await run(command)]).toEqual([command, '-'])
  })

  it('an exception of an allow tightens, and so matches loosely', async () => {
    const { run } = await judging([{ allow: { run: 'git *' }, except: { run: 'git push' } }])
    expect(await run('git log')).toBe('allow')
    expect(await run('git push --force origin main')).toBe('-')
  })
})

describe('except matches strictly, and limits only its own rule', () => {
  it('an exception about commands says every command of the call', async () => {
    const { run } = await judging([
      { deny: { run: 'git push' }, except: { run: 'git push origin dev' } },
      { deny: { run: 'rm' } },
    ])
    expect(await run('git push origin dev')).toBe('-')
    for (const command of [
      'git push origin main',
      'git push origin dev --force',
      'git push origin dev && git push origin main',
      'git push origin dev && curl https://a.example',
      'sudo git push origin dev',
      'A=1 git push origin dev',
      'git push origin dev; rm x',
    ])
      expect([command, await run(command)]).toEqual([command, 'deny'])
  })

  it('an exception about files leaves alone those files and no others', async () => {
    const { run, tool } = await judging([{ deny: { read: '**/.env*' }, except: { read: '**/.env.example' } }])
    expect(await run('cat .env.example')).toBe('-')
    expect(await run('cat .env.example README.md')).toBe('-')
    expect(await tool('read_file', { path: 'a/.env.example' })).toBe('-')
    expect(await run('cat .env.example .env')).toBe('deny')
    expect(await tool('read_multiple_files', { paths: ['.env.example', '.env.local'] })).toBe('deny')
  })
})

describe('what is only known when it runs', () => {
  it.each([
    ['git push $FLAGS origin main', 'ask'],
    ['$CMD push --force', 'ask'],
    ['git push "$REMOTE"', 'ask'],
    ['git $SUB --force', 'ask'],
    ['git status $X', '-'],
    ['echo $X', '-'],
    ['git push origin "$(git branch --show-current)/x"', '-'],
  ])('%s is %s', async (command, expected) => {
    const { run } = await judging([{ deny: { run: 'git push --force' } }])
    expect(await run(command)).toBe(expected)
  })

  it('the rule decides what that amounts to, and the reason says which part it is', async () => {
    const command = 'git push $FLAGS'
    for (const [unknown, expected] of [
      ['ask', 'ask'],
      ['deny', 'deny'],
      ['pass', '-'],
    ] as const) {
      const { run } = await judging([{ deny: { run: 'git push --force' }, unknown }])
      expect(await run(command)).toBe(expected)
    }
    const { call } = await judging([{ deny: { run: 'git push --force' } }])
    expect((await call('shell', { command })).decision?.reason).toContain('only known when it runs')
  })
})

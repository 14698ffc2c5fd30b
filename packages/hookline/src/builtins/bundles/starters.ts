import type { Bundle } from '../../core/index.ts'

/** Rules to begin with: `hookline init` offers them. */

/** Commands of some kinds, by what is at stake: before they run, and once more on what runs in the end. */
const judged = (id: string, only: readonly string[]) =>
  [
    { id, event: 'pre_tool_use' },
    { id: `${id}-final`, event: 'tool_guard' },
  ].map((hook) => ({ ...hook, run: { type: 'builtin', name: 'at_stake', args: { only, profile: '$profile' } } }))

/** A builtin that refuses or asks, in both places. */
const guarded = (id: string, name: string, args?: Record<string, unknown>) =>
  [
    { id, event: 'pre_tool_use' },
    { id: `${id}-final`, event: 'tool_guard' },
  ].map((hook) => ({ ...hook, run: { type: 'builtin', name, ...(args && { args }) } }))

const gitSafe: Bundle = {
  name: 'git-safe',
  doc: 'Keeps uncommitted work and published history: asks before reset --hard, clean, checkout, restore and stash drop take changes away, naming the files, and before force pushes.',
  parameters: {
    force_push: {
      doc: 'Whether a force push is asked about or blocked: `ask` or `deny`.',
      default: 'ask',
      values: ['ask', 'deny'],
      example: 'deny',
    },
    commands: {
      doc: 'More commands to ask about here, as patterns of rules.',
      default: [],
      example: ['git rebase', 'git commit --amend'],
    },
  },
  // What reset, checkout, restore and clean take away depends on what is there: these name the files, and where nobody can be asked keep a snapshot.
  hooks: judged('files', ['git-destroy']),
  rules: [
    {
      id: 'force-push',
      ask: { run: ['git push --force', 'git push --mirror'] },
      ruling: '$force_push',
      because: 'A force push overwrites what others have pushed.',
      instead: 'Use git push --force-with-lease.',
    },
    {
      id: 'history',
      ask: {
        run: [
          'git branch -D',
          'git push --delete',
          'git stash drop',
          'git stash clear',
          'git filter-branch',
          'git filter-repo',
          'git reflog expire',
          'git update-ref -d',
          'git worktree remove --force',
        ],
      },
      because: 'It removes commits that may be nowhere else.',
    },
    { id: 'own-commands', ask: { run: '$commands' }, because: 'It is one of the commands to ask about here.' },
  ],
}

const secretFiles: Bundle = {
  name: 'secret-files',
  doc: 'Keeps .env files, keys and credentials out of every tool.',
  parameters: {
    files: {
      doc: 'More files that hold secrets here, as patterns of rules.',
      default: [],
      example: ['config/production.yml', '**/*.tfvars'],
    },
    allow: {
      doc: 'Files that may be read all the same, as patterns of rules. What `security` keeps back, where it is used too, it still does.',
      default: [],
      example: ['**/.env.test', 'test/certificates/**'],
    },
  },
  hooks: [],
  rules: [
    {
      id: 'env',
      deny: { read: ['**/.env', '**/.env.*', '**/.envrc'] },
      except: { read: ['**/.env.{example,sample,template,dist,defaults,schema}', '$allow'] },
      because: 'Files of this name hold secrets, and what is read may be sent to a model.',
      instead: 'Read .env.example, or ask the user for what you need to know.',
    },
    {
      id: 'keys',
      deny: { read: ['~/.ssh/**', '~/.gnupg/**', '**/id_{rsa,dsa,ecdsa,ed25519}', '**/*.{pem,p12,pfx,jks,keystore}'] },
      // A certificate is there to be shown.
      except: {
        read: [
          '~/.ssh/*.pub',
          '~/.ssh/config',
          '~/.ssh/known_hosts',
          '**/{cert,chain,fullchain,ca,cacert,*-cert,*.cert,*.crt,*-ca}.pem',
          '$allow',
        ],
      },
      because: 'Private keys stay with the user.',
    },
    {
      id: 'credentials',
      deny: {
        read: [
          '~/.aws/credentials',
          '~/.azure/**',
          '~/.config/gcloud/**',
          '~/.config/gh/hosts.yml',
          '~/.docker/config.json',
          '~/.git-credentials',
          '~/.kube/config',
          '~/.netrc',
          '~/.npmrc',
          '~/.pgpass',
          '~/.pypirc',
          '~/.terraform.d/credentials.tfrc.json',
        ],
      },
      except: { read: '$allow' },
      because: 'Credentials stay with the user.',
    },
    {
      id: 'own-files',
      deny: { read: '$files' },
      except: { read: '$allow' },
      because: 'These files hold secrets, and what is read may be sent to a model.',
    },
  ],
}

const protectedBranches: Bundle = {
  name: 'protected-branches',
  doc: 'No commits and no pushes to main and release branches.',
  parameters: {
    branches: {
      doc: 'The branches, as patterns.',
      default: ['main', 'master', 'release/*'],
      example: ['main', 'production'],
    },
  },
  hooks: [],
  rules: [
    {
      id: 'change',
      deny: { run: ['git push', 'git commit'] },
      when: { branch: '$branches' },
      because: 'This branch changes by review only.',
      instead: 'Work on a branch of your own: git switch -c <name>.',
    },
  ],
}

const database: Bundle = {
  name: 'database',
  doc: 'Asks before drop, truncate, delete without where, and resets of databases by their tools.',
  parameters: {
    tools: {
      doc: 'More commands that reset a database here, as patterns of rules.',
      default: [],
      example: ['make reset-database', 'npm run db:wipe'],
    },
  },
  hooks: judged('statements', ['database']),
  rules: [
    {
      id: 'tools',
      ask: {
        run: [
          'dropdb',
          'dropuser',
          'mysqladmin drop',
          'redis-cli FLUSHALL',
          'redis-cli FLUSHDB',
          'redis-cli flushall',
          'redis-cli flushdb',
          'prisma migrate reset',
          'prisma db push --force-reset',
          'prisma db push --accept-data-loss',
          'supabase db reset',
          'rails db:drop*',
          'rails db:reset*',
          'rails db:migrate:reset*',
          'rails db:schema:load*',
          'rake db:drop*',
          'rake db:reset*',
          'sequelize db:drop*',
          'sequelize db:migrate:undo:all',
          'knex migrate:rollback',
          'typeorm schema:drop',
          'drizzle-kit drop',
          'alembic downgrade',
          'python* manage.py flush',
          'python* manage.py reset_db',
          'php artisan migrate:fresh',
          'php artisan migrate:reset',
          'php artisan db:wipe',
          'mix ecto.drop',
          'mix ecto.reset',
          'flyway clean',
          'liquibase drop-all',
          'mongosh *dropDatabase*',
        ],
      },
      because: 'It removes data.',
    },
    { id: 'own-tools', ask: { run: '$tools' }, because: 'It removes data.' },
  ],
}

const quiet: Bundle = {
  name: 'quiet',
  doc: 'Approves commands that are fully understood and only read, so that you are asked less.',
  parameters: {
    commands: { doc: 'More commands to approve here, as patterns of rules.', default: [], example: ['npm test'] },
    ask: {
      doc: 'Commands that you want to be asked about all the same, as patterns of rules.',
      default: [],
      example: ['git show', 'kubectl get secrets'],
    },
  },
  hooks: [
    { id: 'readonly', event: 'pre_tool_use', run: { type: 'builtin', name: 'allow_readonly' } },
    { id: 'readonly-asked', event: 'permission_request', run: { type: 'builtin', name: 'allow_readonly' } },
  ],
  rules: [
    { id: 'own-commands', allow: { run: '$commands' }, except: { run: '$ask' } },
    { id: 'asked', ask: { run: '$ask' }, because: 'It is one of the commands to ask about here.' },
  ],
}

const noBypass: Bundle = {
  name: 'no-bypass',
  doc: 'No way around the checks of the repository: --no-verify, HUSKY=0, another core.hooksPath, hooks that are removed.',
  parameters: {
    hooks: {
      doc: 'Where the hooks of the repository are kept.',
      default: ['**/.git/hooks/**', '**/.husky/**', '**/lefthook.yml', '**/.pre-commit-config.yaml'],
      example: ['**/.git/hooks/**', 'tools/git-hooks/**'],
    },
  },
  hooks: guarded('options', 'no_bypass'),
  rules: [
    {
      id: 'hooks',
      ask: { write: '$hooks', delete: '$hooks' },
      except: { write: ['**/.git/hooks/*.sample'], delete: ['**/.git/hooks/*.sample'] },
      because: 'These files are the checks that run before every commit and push.',
    },
  ],
}

const cloud: Bundle = {
  name: 'cloud',
  doc: 'Asks before terraform, kubectl, helm, aws, gcloud, az and their kind take away what is running, or publish.',
  parameters: {
    commands: {
      doc: 'More commands to ask about here, as patterns of rules.',
      default: [],
      example: ['flyctl deploy', 'make deploy'],
    },
  },
  hooks: judged('destruction', ['cloud', 'container', 'publish']),
  rules: [
    {
      id: 'changes',
      ask: {
        run: [
          'terraform apply',
          'tofu apply',
          'pulumi up',
          'cdk deploy',
          'kubectl apply',
          'kubectl delete',
          'kubectl drain',
          'kubectl scale',
          'kubectl rollout undo',
          'helm uninstall',
          'helm delete',
          'helm rollback',
          'helm upgrade',
        ],
      },
      except: { run: ['* --dry-run *', '* --dry-run=client *', '* --dry-run=server *'] },
      because: 'It changes what is running, for everybody who uses it.',
      shared: true,
    },
    {
      id: 'own-commands',
      ask: { run: '$commands' },
      because: 'It changes what is running, for everybody who uses it.',
      shared: true,
    },
  ],
}

const installs: Bundle = {
  name: 'installs',
  doc: 'Asks before a package is installed that the lockfile does not list, and blocks what is downloaded and run unseen (curl | sh).',
  parameters: {
    allow: { doc: 'Packages that need no question, with `*`: `@acme/*`.', default: [], example: ['@acme/*'] },
  },
  hooks: [...guarded('packages', 'new_packages', { allow: '$allow' }), ...judged('downloads', ['remote-exec'])],
}

const knownHosts = [
  ...['localhost', '127.0.0.1', 'github.com', '*.github.com', '*.githubusercontent.com', 'gitlab.com'],
  ...['bitbucket.org', 'registry.npmjs.org', 'registry.yarnpkg.com', 'pypi.org', 'files.pythonhosted.org'],
  ...['crates.io', '*.crates.io', 'proxy.golang.org', 'sum.golang.org', 'rubygems.org', 'repo.maven.apache.org'],
]

const exfil: Bundle = {
  name: 'exfil',
  doc: 'After secrets or web content were read, hosts that you have not named are asked about; credentials on their way out are blocked.',
  parameters: {
    hosts: {
      doc: 'Hosts that need no question.',
      default: knownHosts,
      example: ['localhost', 'github.com', '*.example.com'],
    },
  },
  hooks: judged('credentials', ['exfiltration']),
  rules: [
    {
      id: 'after-secrets',
      ask: { fetch: '*' },
      except: { fetch: '$hosts' },
      when: { after: 'secret' },
      because: 'Secrets were read earlier in this session, and this host is none that you have named.',
    },
    {
      id: 'after-web',
      ask: { fetch: '*' },
      except: { fetch: '$hosts' },
      when: { after: 'web' },
      because:
        'Web content was read earlier in this session, and may have asked for this; this host is none that you have named.',
    },
    {
      id: 'messages',
      ask: { send: '*' },
      when: { after: 'secret' },
      because: 'Secrets were read earlier in this session.',
    },
  ],
}

const runTests = { type: 'builtin', name: 'require_tests_on_stop', args: { command: '$tests', files: '$files' } }

const done: Bundle = {
  name: 'done',
  doc: 'When the agent says that it is done: what it wrote is formatted, the tests pass, within a time you set, and you get a notice.',
  parameters: {
    formatters: {
      doc: 'The program that formats, and its arguments, by file name.',
      example: { '*.ts': ['npx', 'prettier', '--write'] },
    },
    tests: { doc: 'The program that runs your tests, and its arguments.', example: ['npm', 'test'] },
    files: {
      doc: 'The tests run only when a file of one of these names has changed.',
      example: ['*.ts', '*.json'],
    },
    test_timeout: { doc: 'How long they may take.', default: '5m', example: '2m' },
    notice: { doc: 'What the notice says.', default: 'The agent is done.', example: 'Ready for review.' },
  },
  hooks: [
    {
      id: 'format',
      event: 'post_tool_use',
      needs: ['formatters'],
      run: { type: 'builtin', name: 'format_on_write', args: { formatters: '$formatters' } },
    },
    { id: 'tests-baseline', event: 'session_start', needs: ['tests'], run: runTests },
    { id: 'tests', event: 'stop', needs: ['tests'], timeout: '$test_timeout', run: runTests },
    {
      id: 'notice',
      event: 'turn_end',
      background: true,
      run: { type: 'builtin', name: 'notify', args: { message: '$notice' } },
    },
  ],
}

export const starters: readonly Bundle[] = [
  ...[gitSafe, secretFiles, protectedBranches, noBypass, database],
  ...[cloud, installs, exfil, quiet, done],
]

/** What `hookline init` writes unless it is told otherwise. */
export const usualStarters = ['git-safe', 'secret-files']

import { flagValues, parseArguments, readOptions } from '../../../shell/index.ts'
import { textIn } from '../disk.ts'
import { placeOf } from '../places.ts'
import { runScript } from '../scripts.ts'
import { field, stream } from '../text.ts'
import type { Arguments, Call, Danger } from '../types.ts'
import { contentOf } from '../written.ts'
import type { Family } from './rules.ts'

/** Clients of databases, and the options that carry statements. */
const CLIENTS: Record<
  string,
  { options: string; statements: string; files?: string; operands?: number; embedded?: true }
> = {
  'psql pgcli usql': {
    options: '-c:f:d:h:p:U:v:o:F: --command= --file= --dbname= --host= --port= --username= --set=',
    statements: 'c|--command',
    files: 'f|--file',
  },
  'mysql mariadb mycli mysqlsh': {
    options: '-e:u:h:P:D:S:f: --file= --execute= --user= --host= --port= --database= --password= --sql=',
    statements: 'e|--execute|--sql',
    files: 'f|--file',
  },
  'sqlite3 sqlite duckdb litecli': {
    options: '-word -cmd= -init= -separator= -c= -s=',
    statements: '-cmd|-c|-s',
    files: '-init',
    operands: 1,
    embedded: true,
  },
  'sqlcmd bcp isql tsql osql': { options: '-Q:q:S:d:U:P:i: --query=', statements: 'Q|q|--query', files: 'i' },
  'clickhouse-client clickhouse': {
    options: '-q:h:u:d: --query= --queries-file= --host= --user= --database= --multiquery=',
    statements: 'q|--query|--multiquery',
    files: '--queries-file',
  },
  'cockroach cqlsh hive beeline trino presto spark-sql snowsql impala-shell vsql athenacli surreal': {
    options: '-e:q:f:u: --execute= --query= --file=',
    statements: 'e|q|--execute|--query',
    files: 'f|--file',
  },
  'sqlplus sqlcl usql osql snow databricks turso questdb ksql': {
    options: '-e:q:f:s:S:L --query= --file=',
    statements: 'e|q|--query',
    operands: 0,
  },
  'bq cypher-shell': { options: '--query= -f:d:u:p:a:', statements: '--query', operands: 0 },
  'mongosh mongo': {
    options: '-u:p: --eval= --file= --host= --username= --password=',
    statements: '--eval',
    files: 'f|--file',
    operands: 99,
  },
  'redis-cli valkey-cli keydb-cli': { options: '-h:p:s:a:u:n:r:i: --user= --pass=', statements: '--eval', operands: 0 },
  'prisma sequelize knex typeorm drizzle-kit alembic flyway liquibase rails rake artisan': {
    options: '-m:x:n:c: --message= --name= --config= --rev-id=',
    statements: '',
    operands: 0,
  },
}

const SQL: readonly [RegExp, string][] = [
  [
    /\bdrop\s+(?:table|database|schema|index|view|materialized|user|role|column|keyspace|collection|type|function|trigger|tablespace|owned|constraint|policy|publication|subscription|extension|sequence|domain|server|stage|warehouse|pipe|stream|task|share|measurement|series|bucket|topic|cluster|login|procedure|package|synonym|dictionary|stable|chain|space|tag|edge|graph|if)\b/i,
    'It deletes part of the database.',
  ],
  [
    /\bcreate\s+or\s+replace\s+(?:transient\s+)?(?:database|schema|table)\b/i,
    'It replaces part of the database, with all that was in it.',
  ],
  [/\btruncate\s+(?:table\s+)?[\w"`[.]/i, 'It empties a table.'],
  [/\bdelete\s+from\s+[^;]*?(?:;|$)/i, 'It deletes every row of a table.'],
  [/\bupdate\s+[\w"`[\].]+\s+set\b[^;]*?(?:;|$)/i, 'It changes every row of a table.'],
  [/\balter\s+table\b[^;]*\b(?:drop|delete)\b/i, 'It deletes part of a table.'],
  [/\bdetach\s+delete\b|\bmatch\b[^;]*\bdelete\s+\w+\s*;?\s*$/i, 'It deletes nodes of a graph.'],
  [/\bremove\s+(?:table|database|namespace|ns|db|index|field)\b/i, 'It deletes part of the database.'],
  [
    /\b(?:xp_cmdshell|copy\s+[^;]*\bto\s+program|copy\s+[^;]*\bfrom\s+program|load_file\s*\(|into\s+outfile|lo_export)\b/i,
    'It makes the database run programs or write files.',
  ],
  [
    /^\s*(?:\\!|\.shell|\.system)\s|\n\s*(?:\\!|\.shell|\.system)\s/i,
    'It makes the database client run a shell command.',
  ],
]
const MONGO =
  /\b(?:shutdown|dropDatabase|drop|dropIndexes)\s*:|\b(?:drop\w*|remove|shutdownServer)\s*\(|\b(?:deleteMany|updateMany)\s*\(\s*\{\s*\}/
const REDIS = /^(?:flushall|flushdb|shutdown|config|debug|script|cluster|swapdb|replicaof|slaveof|acl)$/i

export const databases: Family = {
  options: { alembic: '-x:n:c:m: --config= --name= --message= --rev-id=' },
  rows: [
    {
      category: 'database',
      radius: 'high',
      reason: 'It deletes a database or everything in it.',
      commands: [
        'dropdb|dropuser',
        'drizzle-kit drop',
        'drizzle-kit push --force',
        'console doctrine:database:drop|doctrine:schema:drop|doctrine:fixtures:load|doctrine:mongodb:schema:drop',
        'php bin/console doctrine:database:drop|doctrine:schema:drop|doctrine:fixtures:load',
        'python * migrate * zero',
        'migrate down -all|--all',
        'manage.py migrate * zero',
        'django-admin flush|reset_db|sqlflush',
        'flask db downgrade',
        'aerich downgrade',
        'dotnet ef database drop',
        'dotnet ef migrations remove --force',
        'dotnet-ef database drop',
        'supabase stop --no-backup',
        'supabase db push --include-all',
        'nhost down --volumes',
        'memcached-tool * flush_all|flush',
        'etcdctl snapshot restore',
        'mikro-orm schema:drop|schema:fresh|migration:fresh|database:drop',
        'ace migration:reset|migration:fresh|migration:refresh|db:wipe|db:truncate',
        'node ace migration:reset|migration:fresh|migration:refresh|db:wipe|db:truncate',
        'payload migrate:reset|migrate:fresh|migrate:refresh',
        'migrate-mongo down',
        'medusa db:rollback',
        'hanami db drop',
        'cake|bin/cake migrations rollback',
        'spark migrate:refresh|migrate:rollback',
        'wp db drop|reset|clean',
        'wp site delete|empty',
        'drush sql-drop|sql:drop|site:install',
        'n98-magerun2|magerun2 db:drop',
        'magento setup:uninstall',
        'occ db:drop|user:delete',
        'pt-archiver --purge',
        'mysqladmin flush-*|kill|reload',
        'pg_dropcluster|pg_archivecleanup',
        'mysqladmin drop|shutdown',
        'mysqladmin * drop',
        'prisma|npx migrate reset',
        'prisma db push --force-reset|--accept-data-loss',
        'sequelize|sequelize-cli db:drop|db:migrate:undo:all',
        'typeorm schema:drop',
        'knex migrate:rollback --all',
        'rails|rake db:drop*|db:reset|db:schema:load|db:purge|db:migrate:reset',
        'artisan migrate:fresh|migrate:reset|db:wipe|migrate:refresh',
        'symfony console doctrine:database:drop|doctrine:schema:drop|doctrine:fixtures:load',
        'sail artisan migrate:fresh|migrate:reset|db:wipe|migrate:refresh',
        'php artisan migrate:fresh|migrate:reset|db:wipe|migrate:refresh',
        'python * flush|reset_db',
        'manage.py flush|reset_db',
        'alembic downgrade base',
        'flyway clean',
        'liquibase dropall|drop-all',
        'mix ecto.drop|ecto.reset',
        'pg_resetwal|pg_dropcluster',
        'influx delete',
        'influxd|influx bucket delete',
        'kafka-topics|kafka-topics.sh --delete',
        'kafka-delete-records|kafka-delete-records.sh',
        'cockroach node decommission|drain',
        'nodetool decommission|removenode|assassinate|cleanup',
        'elasticsearch-reset-password|curator_cli delete_*',
        'sqlite-utils drop-table|drop-view',
        'pg_restore -c|--clean',
        'mongorestore --drop',
      ],
    },
  ],
  judges: Object.fromEntries(
    Object.keys(CLIENTS).map((names) => [names, (call: Call) => judgeStatements(names, call)]),
  ),
}

function judgeStatements(names: string, call: Call): Danger | undefined {
  const client = CLIENTS[names]
  if (!client) return undefined
  const args = parseArguments(call.args, readOptions(client.options))
  const statements = client.statements ? flagValues(args, client.statements).map((value) => value?.text ?? '') : []
  if (client.operands !== undefined) statements.push(...args.operands.slice(client.operands).map((word) => word.text))
  const files = client.files ? flagValues(args, client.files).filter((file) => file !== undefined) : []
  const scripts = args.operands.filter(({ text }) => /\.(?:js|mongodb|sql|cql)$/i.test(text))
  for (const file of [...files, ...scripts]) statements.push(textIn(contentOf(file, call.state), call).text)
  if (call.wiring.stdin) statements.push(textIn(call.wiring.stdin, call).text)
  for (const command of statements.flatMap(shellLines).slice(0, MOST_FILES)) runScript(stream(command), call)
  for (const file of statements.flatMap(includedBy).slice(0, MOST_FILES))
    statements.push(textIn(contentOf(field(file), call.state), call).text)
  if (client.embedded && isScratch(args, call)) return undefined
  if (call.name.endsWith('-cli') && client.operands === 0) {
    const [verb, next] = [...args.operands.map((word) => word.text), ...statements.join(' ').split(/\s+/)]
    const harmless =
      /^(?:config|script|cluster|debug|acl)$/i.test(verb ?? '') &&
      !/^(?:set|rewrite|flush|kill|reset|failover|forget|sleep|segfault|deluser|setuser)$/i.test(next ?? '')
    const piped = statements.some((text) => /\bflush(?:all|db)\b/i.test(text))
    // Keys that another command lists are all there are.
    const unseen = /^(?:del|unlink)$/i.test(verb ?? '') && args.operands.some(({ taints }) => taints.includes('listed'))
    return (REDIS.test(verb ?? '') && !harmless) || piped || unseen
      ? danger('It deletes everything the database holds.')
      : undefined
  }
  if (names.includes('mongo'))
    return statements.some((text) => MONGO.test(text)) ? danger('It deletes part of the database.') : undefined
  for (const text of statements.map(withoutComments)) {
    const found = SQL.find(([pattern]) => isUnbounded(pattern, text))
    if (found) return danger(found[1])
  }
  return undefined
}

/** Files that the statements tell the client to read: `.read`, `\i`, `source`, `@script`, `load("…")`. */
const includedBy = (text: string): string[] =>
  [...text.matchAll(/(?:^|[\n;])\s*(?:\.read|\\ir?|\\\.|source|@@?)\s*["']?([^\s"';|]+)|\bload\(\s*["']([^"']+)/g)].map(
    ([, file, loaded]) => file ?? loaded ?? '',
  )
/** Lines that the client hands to a shell: `.shell`, `\!`, `system`, `| cmd`. */
const shellLines = (text: string): string[] =>
  [
    ...text.matchAll(
      /(?:^|\n)\s*(?:\\!|\.shell|\.system|system|!)\s+([^\n]+)|(?:^|\n)\s*(?:\.output|\.once|\.import|\\o|\\g|\\copy\b[^\n]*\bprogram)\s+['"]?\|?\s*([^\n'"]+)|\bprogram\s+'([^']+)'/gi,
    ),
  ].flatMap(
    ([found, run, piped, program]) =>
      run ?? program ?? (found?.includes('|') || /program/i.test(found ?? '') ? (piped ?? []) : []),
  )
const MOST_FILES = 8

/** A database in a file that is scratch, or in none at all. */
function isScratch({ operands }: Arguments, { state }: Call): boolean {
  const [file] = operands
  if (!file || file.text === ':memory:') return file !== undefined
  return (file.text.startsWith('/') && placeOf(file, state) === 'temp') || MADE_AGAIN.test(file.text)
}
/** Where builds put what they make, and what is there for tests, by its name. */
const MADE_AGAIN =
  /^(?:\.\/)?(?:(?:[\w-]+\/)*(?:build|dist|target|out|tmp|temp|coverage|\.cache|\.tmp)\/(?:[\w.-]+\/)*[\w.-]+|(?:[\w-]+\/)*(?:[\w-]+[-_.])?(?:tests?|scratch|tmp|temp|fixtures?)(?:[-_.][\w-]+)*\.(?:db|sqlite3?|duckdb))$/i

/** A statement with a condition touches some rows; without one it touches all. */
const isUnbounded = (pattern: RegExp, text: string): boolean =>
  [...text.matchAll(new RegExp(pattern, 'gi'))].some(([match]) => {
    if (!/^(?:delete|update)/i.test(match)) return true
    const condition = /\bwhere\b([^;]*)/i.exec(match)?.[1]
    return condition === undefined || /^\s*(?:1\s*=\s*1|true|1)\s*;?\s*$/i.test(condition)
  })

function withoutComments(sql: string): string {
  const [first = '', ...rest] = sql.split('/*')
  const outside = rest.map((part) => part.slice(part.indexOf('*/') < 0 ? 0 : part.indexOf('*/') + 2))
  return [first, ...outside].join(' ').replace(/--[^\n]*/g, ' ')
}

const danger = (reason: string): Danger => ({ category: 'database', radius: 'high', reason })

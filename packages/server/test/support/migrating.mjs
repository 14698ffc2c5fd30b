import { createJiti } from 'jiti'

/**
 * Brings a store to the latest version in a process of its own, and dies by `kill -9` before the statement of this number, in the
 * middle of a step: node migrating.mjs <database> [number]. Prints how many statements there were.
 */
const [database, dieAt = '0'] = process.argv.slice(2)
const dist = new URL('../../../hookline/dist/', import.meta.url)
const jiti = createJiti(import.meta.url, {
  alias: { 'hookline/internal/start': new URL('internal-start.js', dist).pathname },
})
const { migrate } = await jiti.import('../../src/store/schema.ts')
const isPostgres = database.startsWith('postgres')
const { openPostgres, openSqlite } = await jiti.import(`../../src/store/${isPostgres ? 'postgres' : 'sqlite'}.ts`)
const sql = (isPostgres ? openPostgres : openSqlite)(database)

let statements = 0
const transaction = (work) =>
  sql.transaction((within) =>
    work({
      ...within,
      run(text, values) {
        statements += 1
        if (statements === Number(dieAt)) process.kill(process.pid, 'SIGKILL')
        return within.run(text, values)
      },
    }),
  )
await migrate({ ...sql, dialect: sql.dialect, transaction })
await sql.close()
process.stdout.write(String(statements))

import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from './support/postgres.ts'

test('a PostgreSQL from npm keeps what was committed when it is killed', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const address = await postgres.database()
  const ask = async (text: string) => {
    const client = new pg.Client(address)
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows
  }
  await ask('create table kept (word text)')
  await ask("insert into kept values ('yes')")
  await postgres.kill()
  await expect(ask('select 1')).rejects.toThrow()
  await postgres.start()
  expect(await ask('select word from kept')).toEqual([{ word: 'yes' }])
})

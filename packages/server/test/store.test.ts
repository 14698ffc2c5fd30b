import { expect, it } from 'vitest'
import { openStore } from '../src/store/index.ts'

it('binds values by their numbers, in any order and as often as they are named', async () => {
  const sql = await openStore(':memory:')
  expect(await sql.all('select $2 as two, $1 as one, $2 as again', ['first', 'second'])).toEqual([
    { two: 'second', one: 'first', again: 'second' },
  ])
  await sql.close()
})

it('does all of a batch or nothing of it', async () => {
  const sql = await openStore(':memory:')
  const add = { sql: 'insert into meta (name, value) values ($1, $2)', values: ['a', '1'] }
  await expect(sql.batch([add, add])).rejects.toThrow()
  expect(await sql.all("select * from meta where name = 'a'")).toEqual([])
  await sql.batch([add])
  expect(await sql.run('update meta set value = $1 where name = $2', ['2', 'a'])).toBe(1)
  await sql.close()
})

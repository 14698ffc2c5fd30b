import { digestOf } from '../digest.ts'
import { one, type Sql } from '../store/index.ts'
import { refuse } from './problem.ts'

const keptMs = 24 * 3_600_000

/** So many answers are kept, and none that is longer. */
const mostAnswers = 500
const longest = 64 * 1024

export type Repeatable = (
  request: Request,
  scope: string,
  body: unknown,
  work: () => Promise<Response>,
) => Promise<Response>

/**
 * With an `Idempotency-Key`, a request that is sent again (a connection broke, somebody clicked twice) is not done again:
 * it gets the answer of the first time. That it was done is in the store; the answer, which may hold a secret, is in memory
 * alone.
 */
export function makeRepeatable(sql: Sql): Repeatable {
  const answers = new Map<string, string>()
  return (request, scope, body, work) => once(request, scope, body, work, sql, answers)
}

async function once(
  request: Request,
  scope: string,
  body: unknown,
  work: () => Promise<Response>,
  sql: Sql,
  answers: Map<string, string>,
): Promise<Response> {
  const given = request.headers.get('idempotency-key')
  if (given === null) return work()
  if (given.length > 200) throw refuse(400, 'request-invalid', { detail: 'the idempotency key is too long' })
  const key = digestOf(`${scope} ${given}`)
  const asked = digestOf(JSON.stringify(body) ?? '')
  await sql.run('delete from repeats where created < $1', [Date.now() - keptMs])
  const taken = await sql.run(
    'insert into repeats (key, request, created) values ($1, $2, $3) on conflict (key) do nothing',
    [...[key, asked, Date.now()]],
  )
  if (taken === 0) return before(key, asked, sql, answers)
  try {
    const response = await work()
    const text = await response.clone().text()
    await sql.run('update repeats set status = $1 where key = $2', [response.status, key])
    if (answers.size >= mostAnswers) answers.delete(answers.keys().next().value!)
    if (text.length <= longest) answers.set(key, text)
    return response
  } catch (error) {
    // Nothing was done: it may be tried again.
    await sql.run('delete from repeats where key = $1', [key])
    throw error
  }
}

async function before(key: string, asked: string, sql: Sql, answers: Map<string, string>): Promise<Response> {
  const row = await one<{ request: string; status: number | null }>(
    sql,
    'select request, status from repeats where key = $1',
    [key],
  )
  if (row && row.request !== asked)
    throw refuse(422, 'request-invalid', { detail: 'this idempotency key was used for another request' })
  if (!row || row.status === null)
    throw refuse(409, 'request-conflict', { detail: 'The same request is still being worked on.' })
  const body = answers.get(key)
  if (body === undefined)
    throw refuse(409, 'request-conflict', { detail: 'It was done before; its answer is no longer kept.' })
  const headers = { 'content-type': 'application/json', 'idempotency-replayed': 'true' }
  return new Response(body, { status: row.status, headers })
}

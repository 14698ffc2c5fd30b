import type { PagePerson } from 'hookline/internal'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openServer, signIn, type TestServer } from './support/server.ts'

let server: TestServer
let readsTerminal = true
/** A code that a terminal shows. */
const person = (): PagePerson => ({
  readsTerminal,
  confirm: async (desk) => (await desk.line('Type the code: ')) === 'K7QF2MXD',
})
beforeAll(async () => {
  server = await openServer(undefined, { person })
})
afterAll(() => server.end())

const loosen = (headers: Record<string, string>) =>
  server.send('POST', '/api/rules', { rule: 'allow: { run: ls }' }, { authorization: '', ...headers })
const type = async (typed: string, page: Record<string, string>) => {
  const headers = { authorization: '', ...page }
  const begun = await server.send('POST', '/api/proof', undefined, headers)
  if (begun.status !== 200) return { status: begun.status, proven: false, key: '' }
  const given = await server.send('POST', '/api/proof/answer', { typed }, headers)
  return { status: given.status, ...((await given.json()) as { proven: boolean; key: string }) }
}

it('the link makes a person only where nobody else can have read it', async () => {
  expect((await signIn(server)).proof).toEqual(expect.any(String))
  // A window of tmux, whose text any program may capture.
  readsTerminal = false
  const { proof, page } = await signIn(server)
  readsTerminal = true
  expect(proof).toBeNull()
  expect((await loosen(page)).status).toBe(403)
  const { key } = await type('K7QF2MXD', page)
  expect((await loosen({ ...page, 'x-hookline-proof': key })).status).toBe(200)
})

it('what one page has proven, neither its cookie nor another session has', async () => {
  const { cookie, page } = await signIn(server)
  expect((await loosen({ cookie, origin: server.url })).status).toBe(403)
  const other = await signIn(server)
  expect((await loosen({ ...other.page, 'x-hookline-proof': page['x-hookline-proof']! })).status).toBe(403)
})

it('few wrong codes are taken, whoever types them, and then not even the right one', async () => {
  const pages = await Promise.all([1, 2].map(async () => (await signIn(server)).cookie))
  const guess = (at: number, typed: string) => type(typed, { cookie: pages[at % 2]!, origin: server.url })
  for (let at = 0; at < 5; at++) expect(await guess(at, 'WRONG')).toMatchObject({ status: 200, proven: false })
  expect((await guess(5, 'WRONG')).status).toBe(429)
  expect((await guess(6, 'K7QF2MXD')).status).toBe(429)
})

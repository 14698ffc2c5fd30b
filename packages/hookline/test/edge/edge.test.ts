import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { EdgeVM } from '@edge-runtime/vm'
import { afterAll, beforeAll, expect, it } from 'vitest'

const built = readFileSync(join(import.meta.dirname, '../../dist/edge.js'), 'utf8')
const laws = readFileSync(join(import.meta.dirname, 'suite.js'), 'utf8')

const server = createServer((_request, response) => {
  response.end('{"decision":"deny","reason":"The server says no."}')
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

it('imports nothing of Node, and nothing at all', () => {
  expect(built).not.toMatch(/^\s*(?:import\b|export\b.*\bfrom\b)/m)
  expect(built).not.toMatch(/(?:from|import)\s*["'`]node:/)
  expect(built.replace(/\/\*[\s\S]*?\*\//g, '')).not.toMatch(/\bimport\(|\brequire\(["']/)
})

it('its laws hold in an edge runtime', async () => {
  const vm = new EdgeVM()
  vm.evaluate(asScript(built))
  vm.evaluate(laws)
  expect(await vm.evaluate(`suite(hookline, ${JSON.stringify(url())})`)).toEqual([])
})

/** Runtimes take modules; the one for tests takes scripts. */
function asScript(module: string): string {
  const [whole, list] = /export\s*\{([^}]*)\};?\s*(?:\/\/#.*)?\s*$/.exec(module)!
  const names = list!.split(',').flatMap((each) => {
    const [own, as = own] = each.trim().split(/\s+as\s+/)
    return own ? [`${as}: ${own}`] : []
  })
  return `{\n(() => {\n${module.slice(0, -whole.length)}\nglobalThis.hookline = { ${names.join(', ')} }\n})()\n}`
}

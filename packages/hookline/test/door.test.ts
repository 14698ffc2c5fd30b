import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const built = (name: string) => resolve(import.meta.dirname, '../../', name, 'dist')

/** What is loaded with a built file: the modules in it and in whatever it imports at once, by the marks of the bundler. */
function loadedWith(folder: string, file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const text = readFileSync(join(folder, file), 'utf8')
  const next = [...text.matchAll(/^(?:import|export)\b[^;'"]*["']\.\/([^"']+)["'];/gm)].map(([, name]) => name!)
  const modules = [...text.matchAll(/^\/\/#region (.+)$/gm)].map(([, name]) => name!)
  return [...modules, ...next.flatMap((name) => loadedWith(folder, name, seen))]
}

it.each([
  [
    'hookline',
    'internal.js',
    /src\/(?:install|daemon|edge)\/|cli\/(?:doctor|replay|edit\/save)|hosts\/codex|modules\/yaml\//,
  ],
  ['agent', 'index.js', /pi-tui|src\/terminal|acp|grammars|tools\/mcp\/connection/],
  ['agent', 'commands.js', /pi-tui|terminal\/(?:tui|acp)\/|grammars|tools\/mcp\/connection/],
])('%s/%s, which every start of the agent loads, brings nothing that only some need', (name, file, unwanted) => {
  const modules = loadedWith(built(name), file)
  expect(modules.length).toBeGreaterThan(20)
  expect(modules.filter((module) => unwanted.test(module))).toEqual([])
})

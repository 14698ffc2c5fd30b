/** Justfiles: recipes with parameters, and variables where they are plain. */
import { asVariable, type Given, type Task, type TaskFile } from './task.ts'

const MOST_LINES = 4_000
/** Of what is no recipe. */
const LONGEST_LINE = 2_000
const HEAD = /^@?([A-Za-z_][\w-]*)((?:\s+[+*$]?[\w-]+(?:\s*=\s*(?:'[^']*'|"[^"]*"|[^\s:]+))?)*)\s*:(?!=)(.*)$/

interface Recipe {
  name: string
  parameters: readonly string[]
  needs: readonly string[]
  lines: string[]
}

export function parseJust(text: string, given: Given): TaskFile {
  const variables = new Map<string, string>()
  const aliases = new Map<string, string>()
  const recipes: Recipe[] = []
  const includes: string[] = []
  let recipe: Recipe | undefined
  for (const line of text.split(/\r?\n/).slice(0, MOST_LINES)) {
    if (/^\s+\S/.test(line)) recipe?.lines.push(line.trim())
    else if (/^\S/.test(line) && !line.startsWith('#') && line.length <= LONGEST_LINE) {
      const [, alias, of] = /^alias\s+([\w-]+)\s*:=\s*([\w-]+)/.exec(line) ?? []
      const [, name, value] = /^(?:export\s+)?([\w-]+)\s*:=\s*(.*?)\s*$/.exec(line) ?? []
      const [, included] = /^(?:import|mod)\??\s+['"]([^'"]+)['"]/.exec(line) ?? []
      if (alias !== undefined && of !== undefined) aliases.set(alias, of)
      else if (name !== undefined) setPlain(variables, name, value ?? '')
      else if (included !== undefined) includes.push(included)
      else recipe = recipeIn(line, recipes) ?? recipe
    }
  }
  const known = new Map([...variables, ...given.variables])
  const tasks = new Map<string, Task>()
  for (const each of recipes) tasks.set(each.name, { needs: each.needs, steps: stepsOf(each, known, given.args) })
  for (const [alias, of] of aliases) tasks.set(alias, { needs: [of], steps: [] })
  return { tasks, first: recipes[0]?.name, includes }
}

function recipeIn(line: string, recipes: Recipe[]): Recipe | undefined {
  const [, name, parameters = '', needs = ''] = HEAD.exec(line) ?? []
  if (name === undefined) return undefined
  const recipe = {
    name,
    parameters: parameters.match(/[+*$]?[\w-]+(?:\s*=\s*(?:'[^']*'|"[^"]*"|\S+))?/g) ?? [],
    needs: (needs.replace(/\s#.*$/, '').match(/[A-Za-z_][\w-]*/g) ?? []).slice(0, 32),
    lines: [],
  }
  recipes.push(recipe)
  return recipe
}

function stepsOf(
  { parameters, lines }: Recipe,
  variables: ReadonlyMap<string, string>,
  args: readonly string[],
): string[] {
  const known = new Map(variables)
  for (const [at, parameter] of parameters.entries()) {
    const [, many = '', name = '', own] = /^([+*$]?)([\w-]+)(?:\s*=\s*(.*))?$/s.exec(parameter) ?? []
    const handed = many === '+' || many === '*' ? args.slice(at).join(' ') : args[at]
    if (handed !== undefined && handed !== '') known.set(name, handed)
    else {
      const usual = own === undefined ? undefined : (plain(own) ?? variables.get(own))
      if (usual === undefined) known.delete(name)
      else known.set(name, usual)
    }
  }
  const filled = lines.map((line) =>
    line
      .replace(/\{\{\{\{/g, '{')
      .replace(/\{\{\s*(.*?)\s*\}\}/g, (_, inside: string) => plain(inside) ?? known.get(inside) ?? asVariable(inside)),
  )
  const [first = ''] = filled
  // A recipe with an interpreter of its own is one script.
  if (first.startsWith('#!')) return /\b(?:ba|z|da|k|a)?sh\b/.test(first) ? [filled.slice(1).join('\n')] : []
  return filled.map((line) => line.replace(/^[@-]+/, ''))
}

function setPlain(variables: Map<string, string>, name: string, value: string): void {
  const text = plain(value)
  if (text !== undefined) variables.set(name, text)
}

const plain = (value: string): string | undefined => /^(['"])(.*)\1$/s.exec(value)?.[2]

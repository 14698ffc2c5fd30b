/** Makefiles: rules with their recipes, and variables where they are plain. */
import { asVariable, type Given, type TaskFile } from './task.ts'

const MOST_LINES = 4_000
const MOST_RULES = 1_000
/** Of what is no recipe. */
const LONGEST_LINE = 2_000
const MOST_EXPANSIONS = 400

interface Rule {
  targets: readonly string[]
  needs: string
  recipe: string[]
}

export function parseMake(text: string, { variables: given }: Given): TaskFile {
  const variables = new Map<string, string>()
  const rules: Rule[] = []
  const includes: string[] = []
  let rule: Rule | undefined
  for (const line of logicalLines(text)) {
    if (line.startsWith('\t')) {
      rule?.recipe.push(line.slice(1))
      continue
    }
    const plain = line.replace(/(?<!\\)#.*$/s, '').trim()
    if (
      plain === '' ||
      plain.length > LONGEST_LINE ||
      /^(?:ifn?eq|ifn?def|else|endif|endef|define|unexport|vpath|\.PHONY)\b/.test(plain)
    )
      continue
    const [, included] = /^(?:-|s)?include\s+(.*)$/s.exec(plain) ?? []
    const [, name, sign, value = ''] =
      /^(?:(?:export|override)\s+)*([\w.-]+)\s*(::?:?=|\?=|\+=|!=|=)\s*(.*)$/s.exec(plain) ?? []
    if (included !== undefined) includes.push(...words(expand(included, variables, given)))
    else if (name !== undefined) {
      const before = variables.get(name)
      if (sign === '!=') variables.set(name, `$(shell ${value})`)
      else if (sign === '+=') variables.set(name, before === undefined ? value : `${before} ${value}`)
      else if (sign !== '?=' || before === undefined) variables.set(name, value)
    } else rule = ruleIn(plain, variables, given, rules)
  }
  const tasks = new Map<string, { needs: string[]; steps: string[] }>()
  for (const { targets, needs, recipe } of rules.slice(0, MOST_RULES))
    for (const target of targets) {
      const task = tasks.get(target) ?? { needs: [], steps: [] }
      const own = words(expand(needs, variables, given))
      task.needs.push(...own)
      for (const line of recipe) task.steps.push(expand(line, variables, given, target, own).replace(/^[@+\s-]+/, ''))
      tasks.set(target, task)
    }
  const named = words(expand(variables.get('.DEFAULT_GOAL') ?? '', variables, given))[0]
  const first = named ?? [...tasks.keys()].find((target) => !/^\.|%/.test(target))
  return { tasks, first, includes }
}

/** `a b: c | d ; command`. */
function ruleIn(line: string, variables: Variables, given: Variables, rules: Rule[]): Rule | undefined {
  const [, targets, rest = ''] = /^([^:=]+?)\s*&?::?(?!=)(.*)$/s.exec(line) ?? []
  if (targets === undefined) return undefined
  const [needs = '', ...own] = rest.split(';')
  const rule = {
    targets: words(expand(targets, variables, given)),
    needs: needs.replace('|', ' '),
    recipe: own.length > 0 ? [own.join(';').trim()] : [],
  }
  rules.push(rule)
  return rule
}

type Variables = ReadonlyMap<string, string>

/** What make replaces before a shell reads the line; what it cannot know, a variable of the shell stands for. */
function expand(
  text: string,
  variables: Variables,
  given: Variables,
  target = '',
  needs: readonly string[] = [],
): string {
  let left = MOST_EXPANSIONS
  const replace = (from: string, depth: number): string => {
    let out = ''
    for (let at = 0; at < from.length; at++) {
      if (from[at] !== '$') {
        out += from[at]
        continue
      }
      if (left-- <= 0) return out + asVariable('')
      const next = from[++at] ?? ''
      if (next === '$') out += '$'
      else if (next === '(' || next === '{') {
        const end = closing(from, at)
        out += reference(from.slice(at + 1, end), depth)
        at = end
      } else out += automatic(next) ?? value(next, depth)
    }
    return out
  }
  const value = (name: string, depth: number): string => {
    const known = given.get(name) ?? variables.get(name)
    return known === undefined || depth > 8 ? asVariable(name) : replace(known, depth + 1)
  }
  const automatic = (sign: string): string | undefined => {
    if (sign === '@') return target
    if (sign === '<') return needs[0] ?? ''
    return sign === '^' || sign === '+' || sign === '?' ? needs.join(' ') : undefined
  }
  const reference = (inside: string, depth: number): string => {
    const [, call, rest = ''] = /^([a-z]+)\s+(.*)$/s.exec(inside) ?? []
    if (call === 'shell') return `$(${replace(rest, depth + 1)})`
    if (call === 'wildcard') return replace(rest, depth + 1)
    if (call !== undefined) return asVariable('')
    if (inside === 'CURDIR' || inside === 'PWD') return '.'
    if (inside === 'MAKE') return 'make'
    if (inside === 'RM') return 'rm -f'
    return automatic(inside.replace(/[DF]$/, '')) ?? value(inside, depth)
  }
  return replace(text, 0)
}

function closing(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(' || text[at] === '{') depth++
    if ((text[at] === ')' || text[at] === '}') && --depth === 0) return at
  }
  return text.length
}

function logicalLines(text: string): string[] {
  return text
    .replace(/\\\r?\n[ \t]*/g, ' ')
    .split(/\r?\n/)
    .slice(0, MOST_LINES)
}

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean)

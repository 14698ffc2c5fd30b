import * as z from 'zod/mini'
import { ToolFailure } from '../core/index.ts'
import { bindTool, defineTool, defineToolset, text } from './define.ts'

const states = ['pending', 'in-progress', 'completed'] as const

interface Todo {
  id: string
  description: string
  status: (typeof states)[number]
}

type Todos = Todo[]

const description = text('What is to be done.')

const createTodo = defineTool({
  name: 'create_todo',
  description: 'Add one thing to the list of what is to be done.',
  input: z.strictObject({ description }),
  readOnly: true,
  run: async ({ description }, todos: Todos) => added(todos, [description]),
})

const createTodos = defineTool({
  name: 'create_todos',
  description: 'Add several things to the list of what is to be done. Good at the beginning of work with many steps.',
  input: z.strictObject({ descriptions: z.array(description).check(z.minLength(1), z.maxLength(100)) }),
  readOnly: true,
  run: async ({ descriptions }, todos: Todos) => added(todos, descriptions),
})

const updateTodos = defineTool({
  name: 'update_todos',
  description: 'Say how things on the list stand: in-progress when you begin one, completed as soon as it is done.',
  input: z.strictObject({
    updates: z.array(z.strictObject({ id: text('Its id.'), status: z.enum(states) })).check(z.minLength(1)),
  }),
  readOnly: true,
  async run({ updates }, todos: Todos) {
    const unknown = updates.filter(({ id }) => !todos.some((todo) => todo.id === id)).map(({ id }) => id)
    if (unknown.length > 0)
      throw new ToolFailure(`There is no ${unknown.join(', ')}. Nothing was changed.\n${shown(todos)}`)
    for (const { id, status } of updates) for (const todo of todos) if (todo.id === id) todo.status = status
    return shown(todos)
  },
})

const listTodos = defineTool({
  name: 'list_todos',
  description: 'Show the list of what is to be done.',
  input: z.strictObject({}),
  readOnly: true,
  run: async (_, todos: Todos) => shown(todos),
})

const tools = [createTodo, createTodos, updateTodos, listTodos]

/** The list that `shared: true` means: one for all agents that were given the same workspace of tools. */
const sharedLists = new WeakMap<object, Todos>()

export const todoToolset = defineToolset({
  doc: 'A list of what is to be done, for the session.',
  options: z.strictObject({
    shared: z.optional(z.boolean().check(z.describe('One list for all agents of the session.'))),
  }),
  tools,
  open({ shared }, { session }) {
    const todos: Todos = (shared ? sharedLists.get(session) : undefined) ?? []
    if (shared) sharedLists.set(session, todos)
    return { tools: tools.map((tool) => bindTool(tool, 'todo', todos)) }
  },
})

function added(todos: Todos, descriptions: readonly string[]): string {
  for (const each of descriptions) todos.push({ id: `todo_${todos.length + 1}`, description: each, status: 'pending' })
  return shown(todos)
}

/** The list, as a result shows it. */
export function readTodos(content: string): Todo[] {
  return content.split('\n').flatMap((line) => {
    const [, mark, id, description] = /^(\[.\]) (\w+): (.*)$/.exec(line) ?? []
    const status = states.find((state) => marks[state] === mark)
    return status && id && description ? [{ id, description, status }] : []
  })
}

const marks: Record<Todo['status'], string> = { pending: '[ ]', 'in-progress': '[~]', completed: '[x]' }

const shown = (todos: Todos): string =>
  todos.map(({ id, description, status }) => `${marks[status]} ${id}: ${description}`).join('\n') ||
  'The list is empty.'

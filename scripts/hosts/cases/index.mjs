import { broken } from './broken.mjs'
import { effects } from './effects.mjs'
import { hooks } from './hooks.mjs'

/**
 * Every case, by the part of the table that it is in. A case is about one file, which a call of the agent would make. Cases of a part are steps
 * of one run of an agent, one call after the other, but those that stand `alone`. Of a case:
 *
 * - `calls(tools, file)`, or `turns(tools, file)`: what the model asks for; absent: a shell command that makes the file
 * - `rules(file)`; `project(file)`: rules of the project
 * - `hook`: `event` and `script`, which runs at calls about the file, or at every event of another kind
 * - `begin(place)`: what is broken just before the call; it gives back what repairs it, where the next case needs that
 * - `env(place)`: variables of the agent
 * - `expect(row, file)`: files that must be there or not, and texts that the model must have been told or not
 * - `slow`: it takes a minute; `needs`: a tool that not every agent has
 */
export const cases = { 'What a verdict comes to': effects, 'A hook fails': hooks, 'Hookline is broken': broken }

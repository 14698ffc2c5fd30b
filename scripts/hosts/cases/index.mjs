import { broken } from './broken.mjs'
import { effects } from './effects.mjs'
import { hooks } from './hooks.mjs'

/** Every case, by the part of the table that it is in. */
export const cases = { 'What a verdict comes to': effects, 'A hook fails': hooks, 'Hookline is broken': broken }

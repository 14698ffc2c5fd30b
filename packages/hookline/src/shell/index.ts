/**
 * What everybody here must know about shells: words and quoting, and the tables of programs that run other programs,
 * of interpreters, and of variables that inject code. Pure. What a whole text would run is in `syntax/`.
 */
export * from './arguments.ts'
export * from './git.ts'
export * from './glob.ts'
export * from './interpreters.ts'
export * from './names.ts'
export * from './variables.ts'
export * from './words.ts'
export type { Wrapper } from './wrapper-table.ts'
export * from './wrappers.ts'

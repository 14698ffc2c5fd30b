/** The grammar of the shell: what a text would run. Loads the parser; words and tables alone are in `shell/index.ts`. */
export * from './commands.ts'
export * from './parse.ts'
export * from './weigh.ts'

export { type CommandPattern, covers, parseCommand, touches } from './pattern.ts'
export { hasSubcommands } from './programs.ts'
export { taken } from './words.ts'

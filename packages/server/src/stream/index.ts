export { type Hub, openHub, type Wanted } from './hub.ts'
export { type Happening, happeningsBetween } from './messages.ts'

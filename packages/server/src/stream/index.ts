export { type Hub, openHub, type Wanted } from './hub.ts'

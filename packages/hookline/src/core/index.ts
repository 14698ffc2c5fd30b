export { agentRunning, agentSetting, agentSigns } from './agents.ts'
export * from './audience.ts'
export * from './builtin.ts'
export * from './bundle.ts'
export * from './dialect.ts'
export * from './effects.ts'
export * from './errors.ts'
export * from './event-row.ts'
export * from './events.ts'
export * from './executor.ts'
export type { Field, Fields } from './field.ts'
export {
  asFirstRun,
  asRerun,
  type CommonFields,
  common,
  isInferred,
  isOfFailedCall,
  isOfSubAgent,
  isRuled,
  sessionOf,
} from './fields.ts'
export { type GoTemplate, type ParsedGoTemplate, parseGoTemplate, renderGoTemplate } from './go-template.ts'
export * from './hook.ts'
export * from './joined.ts'
export * from './json.ts'
export * from './lanes.ts'
export * from './mcp-names.ts'
export * from './opinion.ts'
export * from './outcome.ts'
export * from './pin.ts'
export * from './rule.ts'
export * from './rule-schema.ts'
export * from './standard-schema.ts'
export * from './state.ts'
export * from './template.ts'
export * from './text.ts'
export * from './timing.ts'
export * from './tool-codecs.ts'
export * from './tools.ts'
export * from './unapproved.ts'
export * from './validate.ts'
export * from './vocabulary.ts'

/**
 * What calls do, and rules about it. Pure: what must be looked up on the machine is handed in as `Look`, and bounded there.
 * @module
 */
export * from './actions/index.ts'
export type { CompileRegex } from './arguments.ts'
export { doubtsOf, problemsOf, type RuleNote } from './check.ts'
export { type CompiledRule, type CompiledRules, compileRules } from './compile.ts'
export type { Git, Moment } from './conditions.ts'
export { type Judgement, judge, type Question, type RuleMatch, settle, touchesAction } from './judge.ts'
export type { Surroundings } from './paths.ts'
export type { Compiling, Target } from './target.ts'
export { compileTextRules, type TextCall, textQuestions } from './text-rules.ts'
export { commandKeys, isOneLine, literally, type TextPattern, type TextRule } from './texts.ts'
export { type ToolNames, toolNames } from './tools.ts'
export * from './types.ts'
export { describeAction, forModel, forUser, type Speaker } from './words.ts'

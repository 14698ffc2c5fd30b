export { openQuestions, type Questions } from './questions.ts'

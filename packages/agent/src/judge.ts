/**
 * What the `model` executor of hookline finds here.
 * @module
 */
export { askModel } from './models/index.ts'

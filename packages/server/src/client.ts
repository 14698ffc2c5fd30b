/**
 * The API of a Hookline server, typed: one method for each route. It needs nothing but `fetch`.
 * @module
 */
export type { Api } from './client/api.ts'
export {
  type Answer,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Input,
  type OperationName,
  Refused,
} from './client/client.ts'
export type { Following, StreamMessage } from './client/follow.ts'

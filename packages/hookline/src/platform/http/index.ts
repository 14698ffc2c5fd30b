export { type Admission, admit, admitRedirect, type Resolve, systemResolve } from './admit.ts'
export { type Answer, type Connections, createConnections, NothingReceived, type Request } from './exchange.ts'
export { type Fetch, type FetchOptions, guardedFetch, streamingFetch } from './fetch.ts'

import * as zod from 'zod/mini'

/** What is no maker of schemas or of their checks: it is called for its result at once. */
const immediate = /^(?:toJSONSchema|config|registry|\w*[pP]arse(?:Async)?|\w+Error)$/
const id = '\0lazy-schemas'

/**
 * In the command line, schemas are made when somebody first looks at one: a table full of them costs a start ten
 * milliseconds and zod itself five more, and most starts never validate anything. Every maker of `zod/mini` gives a
 * stand-in that becomes the real thing when it is touched.
 */
export function lazySchemas() {
  return {
    name: 'lazy-schemas',
    resolveId: { filter: { id: /^zod\/mini$/ }, handler: (_source, importer) => (importer === id ? null : id) },
    load: { filter: { id: new RegExp(`^${id}$`) }, handler: () => source },
  }
}

const functions = Object.entries(zod).flatMap(([name, value]) =>
  typeof value === 'function' && /^[a-z_]/.test(name) ? [name] : [],
)

const source = `
import * as zod from 'zod/mini'

const makers = new WeakMap()
const handler = {
  get(target, key) {
    return key === 'check' ? (...checks) => later(() => made(target.self).check(...made(checks))) : made(target.self)[key]
  },
  has: (target, key) => key in made(target.self),
  getPrototypeOf: (target) => Object.getPrototypeOf(made(target.self)),
}

function later(make) {
  const target = { self: undefined }
  target.self = new Proxy(target, handler)
  let schema
  makers.set(target.self, () => (schema ??= make()))
  return target.self
}

/** The real thing, also inside the lists and objects that makers are given. */
function made(value) {
  if (typeof value !== 'object' || value === null) return value
  const make = makers.get(value)
  if (make) return make()
  if (Array.isArray(value)) return value.map(made)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, made(item)]))
}

export const globalRegistry = { get: (schema) => zod.globalRegistry.get(made(schema)) }
${functions.map((name) => `const $${name} = ${immediate.test(name) ? now(name) : lazily(name)}`).join('\n')}
export const coerce = { ${Object.keys(zod.coerce)
  .filter((name) => typeof zod.coerce[name] === 'function' && /^[a-z]/.test(name))
  .map((name) => `${name}: ${lazily(`coerce.${name}`)}`)
  .join(', ')} }
export { ${functions.map((name) => `$${name} as ${name}`).join(', ')} }
`

function now(name) {
  return `(...given) => zod.${name}(...made(given))`
}

function lazily(name) {
  return `(...given) => later(() => zod.${name}(...made(given)))`
}

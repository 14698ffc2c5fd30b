import { type Call, type Executor, type Hook, validate } from '../core/index.ts'

/** An executor of a program's own gets its specs as its schema reads them, with defaults and transforms. */
export function readingSpecs(executor: Executor): Executor {
  const known = new WeakMap<object, unknown>()
  const read = (spec: unknown): unknown => {
    const key = spec as object
    if (known.has(key)) return known.get(key)
    const checked = validate(executor.spec, spec)
    const value = checked.ok ? checked.value : spec
    known.set(key, value)
    return value
  }
  const { check, warm, retain, ready, canaries } = executor
  return Object.assign(Object.create(executor) as Executor, {
    run: (spec: unknown, call: Call) => executor.run(read(spec), call),
    ...(typeof executor.pins === 'function' && { pins: (spec: unknown) => executor.pins(read(spec)) }),
    ...(check && { check: (spec: unknown, hook: Hook) => executor.check?.(read(spec), hook) }),
    ...(ready && { ready: (spec: unknown, hook: Hook) => executor.ready?.(read(spec), hook) }),
    ...(canaries && { canaries: (spec: unknown, hook: Hook) => executor.canaries?.(read(spec), hook) }),
    ...(warm && { warm: (specs: readonly unknown[]) => executor.warm?.(specs.map(read)) }),
    ...(retain && { retain: (specs: readonly unknown[]) => executor.retain?.(specs.map(read)) }),
  })
}

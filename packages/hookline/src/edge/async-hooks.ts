interface Store<T> {
  getStore(): T | undefined
  run<R>(store: T, work: () => R): R
}

type Constructor = new <T>() => Store<T>

/** Most runtimes have it without `node:`. Where none does, events that hooks raise count as raised by the program. */
export const AsyncLocalStorage: Constructor =
  (globalThis as { AsyncLocalStorage?: Constructor }).AsyncLocalStorage ??
  class<T> {
    getStore(): T | undefined {
      return undefined
    }

    run<R>(_store: T, work: () => R): R {
      return work()
    }
  }

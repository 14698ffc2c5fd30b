/**
 * How long what must end may take, in milliseconds: far less than it would go on by itself, far more than a busy machine
 * needs. How fast things are is measured by `npm run bench`, not here.
 */
export const soon = 20_000

import fc from 'fast-check'

/**
 * One seed for all that is drawn at random. Every run of `npm test` draws the same, so that it fails for a change and
 * never by chance; `npm run soak` draws anew, and `HOOKLINE_SEED=…` repeats what it found.
 */
export const seed = Number(process.env['HOOKLINE_SEED'] ?? 20_261_116)
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })

export default fc

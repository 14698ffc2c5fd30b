/** Forbids to write this file. */
export const guarded = (file) => [{ deny: { write: `**/${file}` }, because: 'REASON-OF-THE-RULE' }]

/** What must be true of a run: files that are there or not, texts that the model was told or not. Rows are those of `hosts/`. */
export const blocked = (_row, file) => ({ files: { [file]: false } })
export const ran = (_row, file) => ({ files: { [file]: true } })
export const blockedFor = (reason) => (_row, file) => ({ files: { [file]: false }, told: { [reason]: true } })

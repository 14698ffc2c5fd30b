/** The call that is guarded: a shell command that makes this file. */
export const made = 'made.txt'
export const guardedWrite = [{ deny: { write: `**/${made}` }, because: 'REASON-OF-THE-RULE' }]

/** What must be true of a run: files that are there or not, texts that the model was told or not. Rows are those of `hosts/`. */
export const blocked = () => ({ files: { [made]: false } })
export const ran = () => ({ files: { [made]: true } })
export const blockedFor = (reason) => () => ({ files: { [made]: false }, told: { [reason]: true } })

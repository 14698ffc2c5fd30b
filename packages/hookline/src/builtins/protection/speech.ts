/** What anybody may do with our command line: look, and tighten. All else, and every command to come, is a person's. */
export const anybodys: ReadonlySet<string> = new Set(
  (
    'deny ask list check doctor explain test log stats replay docs schema convert completion guard hosts install rules ' +
    'dispatch run sessions on help'
  ).split(' '),
)

/** Words that make a person's command of one that anybody may run, and verbs of what only a person may do. */
export const changing: ReadonlySet<string> = new Set(
  (
    'off approve allow answer revoke remove add init disable uninstall reset trust untrust unprotect mute purge stop kill accept ' +
    'delete rm prune clear'
  ).split(' '),
)

/** Options that decide in the place of a person. */
export const personsFlag = /^--(?:accept|fix|trust|self|new-token|new-passphrase)(?:=|$)/

const verbs =
  'off|approve|allow|answer|enroll|revoke|remove|add|init|disable|uninstall|reset|trust|untrust|unprotect|mute|purge|stop|kill'
const flags = '--accept|--fix|--trust'
const gap = `["'\\]\\s,]+(?:[^\\n;|&]{0,200}?[\\s"',\\[])??`

/** Our command line in a text, as a shell or a list of words has it. */
const command = new RegExp(
  `\\bhookline(?:@[\\w.^~-]+)?(?:\\.[cm]?js)?\\b${gap}(?:${verbs}|${flags})\\b|(?:hookline|dist)/(?:[\\w.-]+/)*cli\\.[cm]?js\\b${gap}(?:${verbs}|${flags})\\b`,
)

/** The same from inside: our library, by code. */
const library =
  /hookline[\s\S]{0,4000}?(?:\b(?:turnOff|makeToken|setPassphrase)\s*\(|\bopenTrust\b[\s\S]{0,400}?\.\s*(?:approve|revoke|update|reset)\s*\()|process\.argv[\s\S]{0,400}?(?:hookline|dist)\/[\w./-]*cli\.[cm]?js/

/** Whether a text would make whoever runs or types it do with our command line what only a person may. */
export const speaksOfUs = (text: string): boolean => command.test(text) || library.test(text)

/** Where the daemon listens when the data directory is too deep for a socket (daemon/places.ts). */
export const namesOurSocket = (text: string): boolean => /\/hookline-\d+-[0-9a-f]{16}\b/.test(text)

/** Where hooks, approvals and the journal lie in every home, in whatever text; also the directories above, where code takes them away. */
export const namesOurPlaces = (text: string): boolean => ourPlaces.test(text) || (above.test(text) && takes.test(text))

const above = /(?:^|[/"'`~\s])\.(?:config|local(?:["'`,)\s/\\+]{1,8}(?:state|share))?)[/\\]?(?:["'`)]|$)/m
const takes =
  /(?:^|[^A-Za-z])(?:rm|rmdir|rmtree|unlink|rename|renames|move|remove|delete|trash|symlink|chmod|chown)(?:Sync|_all|_tree|_dir_all|_r|_rf|tree)?\s*\(/i

const ourPlaces =
  /\.config["'`,)\s/\\+]{1,8}hookline\b|\.local["'`,)\s/\\+]{1,8}(?:state|share)["'`,)\s/\\+]{1,8}hookline\b/

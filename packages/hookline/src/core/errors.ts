import { printable } from './text.ts'

/**
 * The table of everything that can go wrong: errors that stop, and notes that travel with a
 * verdict. Each has a message and a remedy; `{name}` is filled in by the one who raises it, and the types know which
 * names a row needs.
 */
export const problems = {
  // Reading a config file
  'cases-missing': {
    message: 'There is no file of cases at {file}.',
    remedy:
      'Check the path. Without one, `hookline test` plays hookline.test.yaml and all that is in .hookline/tests/.',
  },
  'config-missing': {
    message: 'There is no config file at {file}.',
    remedy:
      'Check the path. For a new config, `version: 1` and a list of `hooks` are enough; `hookline init` writes one.',
  },
  'config-unreadable': {
    message: 'The config file {file} cannot be read: {detail}.',
    remedy: 'It must be a text file in UTF-8 that you may read: check what it is, its owner and its permissions.',
  },
  'config-too-large': {
    message: 'The config is {size}, more than the limit of {limit}.',
    remedy: 'Split it, or remove generated content: a hooks file is written by people.',
  },
  'config-syntax': { message: 'This is not valid {format}: {detail}.', remedy: 'Correct the syntax at this place.' },
  'config-shape': { message: '`{path}` {detail}.', remedy: '{fix}' },
  'config-version': {
    message: 'Unknown config version {version}.',
    remedy: 'Write `version: 1`, the only version there is.',
  },
  'config-unknown-key': { message: 'Unknown key `{key}`.{hint}', remedy: 'Known keys here: {known}.' },
  'config-dialect': {
    message: 'It is not clear which system this config was written for.{hint}',
    remedy: 'Name it explicitly: one of {known}.',
  },
  'unknown-event': {
    message: 'Unknown event `{event}`.{hint}',
    remedy: 'A hook on an event nobody raises never fires. Known events: {known}.',
  },
  'event-not-raised': {
    message: '{dialect} has the event `{event}`, but nothing here raises it, so its hooks were left out.',
    remedy: 'Use the nearest event that docs/events.md lists, or keep these hooks with {dialect}.',
  },
  'package-missing': {
    message: '{what} needs {name}, which is not installed beside hookline in version {version}.',
    remedy: 'Install it: npm install {name}@{version}',
  },
  'key-ignored': {
    message: '`{key}` means nothing to {dialect} here, so it has no effect.',
    remedy: 'Remove it, or check it against the document of {dialect}.',
  },
  'handler-unsupported': { message: 'A hook of type `{type}` cannot run here: {detail}.', remedy: '{fix}' },
  'tool-known': {
    message: '`{tool}` is a tool we know: what it does cannot be declared anew.',
    remedy: 'Remove the declaration. For a tool of your own, choose another name.',
  },
  'unknown-executor': { message: 'Unknown type `{type}` of hook.{hint}', remedy: 'Known types: {known}.' },
  'unknown-dialect': { message: 'Unknown dialect `{dialect}`.{hint}', remedy: 'Known dialects: {known}.' },
  'unknown-bundle': {
    message: 'There is no bundle `{bundle}`.{hint}',
    remedy: 'Ours are: {known}. A file is named by its path, such as `./team.bundle.yaml`.',
  },
  'bundle-invalid': { message: 'The bundle `{bundle}` cannot be used: {detail}', remedy: '{fix}' },
  'mutes-nothing': {
    message: '`{pattern}` mutes nothing: no hook here has such an id.',
    remedy: 'Correct the id, or remove the line.',
  },
  'duplicate-id': {
    message: 'The id `{id}` is used twice; first at {first}.',
    remedy: 'Give each hook an id of its own, or leave `id` out to have one made.',
  },
  'invalid-id': { message: '`{id}` cannot be an id.', remedy: 'Use letters, digits, `_`, `-`, `.`, `:` and `/`.' },
  'matcher-regex': {
    message: '{what}: not a valid regex: {detail}. The pattern `{pattern}` cannot be used.',
    remedy: 'Patterns are matched in linear time (RE2 syntax): no look-around and no back-references.',
  },
  'matcher-path': {
    message: 'The argument path `{path}` cannot be read: {detail}.',
    remedy: 'Write names joined by dots, such as `$.command`, `headers.Authorization`, `edits[*].path` or `items[0]`.',
  },
  'matcher-dead': { message: 'This matcher can never match: {detail}.', remedy: '{fix}' },
  'matcher-looks-like-glob': {
    message: 'The pattern `{pattern}` is a regex, in which `*` repeats the one character before it.',
    remedy: 'To match every name that begins with `{prefix}`, write `{prefix}.*`.',
  },
  'tool-near-miss': {
    message: 'No tool{whose} {is} `{name}`.{hint}',
    remedy: 'Correct the name. If it is a tool of your own, declare it under `tools:` in hookline.yaml.',
  },
  'argument-near-miss': {
    message: 'No tool that this matcher matches has an argument `{name}`.{hint}',
    remedy: 'Correct the name. Their arguments: {known}.',
  },
  'host-lacks-event': {
    message: 'It cannot run in {hosts}: {does} not raise {event}.',
    remedy: 'Nothing is wrong if it is for another agent; else choose an event that it has.',
  },
  'host-lacks-tool': {
    message: 'It cannot run in {hosts}: {has} no tool like {tools}.',
    remedy: 'A rule holds for every tool that does the same, whatever it is called: `hookline docs rules`.',
  },
  'matcher-ignored': {
    message: 'The matcher is ignored here: {detail}.',
    remedy: 'Remove it, or move the hook to an event that has a tool.',
  },
  'spec-invalid': { message: 'The {type} hook is not right: `{path}` {detail}.', remedy: '{fix}' },
  'rule-broken': { message: 'The rule `{id}` cannot work: {detail}.', remedy: '{fix}' },
  'rule-doubtful': { message: 'The rule `{id}` {detail}.', remedy: '{fix}' },
  'cannot-fail-closed': {
    message: 'This hook fails closed, but {event} has nothing to deny.',
    remedy: 'Use `on_failure: warn`, or move the hook to an event that can be denied.',
  },
  'mutes-above': {
    message: '`{pattern}` is the id of a hook of the {layer} layer, which a file of the {own} layer cannot mute.',
    remedy: 'Mute it in the {layer} layer, if it is yours to mute; else remove the line.',
  },
  'mutes-outside': {
    message: '`{pattern}` is the id of a hook of the repository around this one, which a file in here cannot mute.',
    remedy: 'Mute it there, if it is yours to mute; else remove the line.',
  },
  'id-taken': {
    message: 'The id `{id}` is taken at {first}, in the {layer} layer; here the hook is called `{renamed}`.',
    remedy: 'Give it an id of its own, if you want to choose what it is called.',
  },
  'setting-ignored': {
    message: '`{key}` was ignored: a file of the {layer} layer cannot decide that.',
    remedy: 'It counts in your own config, {home}, and in that of the administrator.',
  },
  'approval-ignored': {
    message: '`{key}` was ignored: no config file can say what is trusted.',
    remedy: 'Remove it. A person approves hooks: `hookline approve`.',
  },
  'managed-refused': {
    message: 'The managed hooks in {file} were left out: {detail}.',
    remedy: 'Let the file and the directories above it belong to root, writable for nobody else.',
  },
  'config-unsafe': {
    message: 'Your config {file} was refused: {detail}.',
    remedy:
      'It can mute hooks and change what is trusted, so nobody else may change it: `chmod go-w` it, or let it belong to you.',
  },
  'config-foreign': {
    message: 'The config file {link} is a link to {file}, which was refused: {detail}.',
    remedy: 'Put a copy in place of the link, or let the file belong to you alone.',
  },
  'option-not-allowed': { message: '`{option}` is not allowed in the {layer} layer.', remedy: '{fix}' },
  'config-crowded': {
    message: '{directory} holds {count} files, and at most {limit} are read.',
    remedy: 'Put hooks that belong together into one file.',
  },
  'config-refused': {
    message: 'The hooks were not loaded: {first} {count} problem(s) in {files}.',
    remedy: 'Correct them; `hookline check` shows them all. In code, `strict: false` skips broken entries with a note.',
  },
  'hooks-broken': {
    message: 'The hooks could not be loaded, so nothing is let through{place}.',
    remedy: 'Only the user can correct the config: `hookline check` says what is wrong.',
  },
  reloaded: {
    message: 'The config has changed; this is generation {generation} ({changes}).',
    remedy: 'New and changed hooks run once they are approved: `hookline list` shows which are.',
  },
  'reload-refused': {
    message: 'The config has changed and cannot be loaded, so generation {generation} goes on: {detail}',
    remedy: 'Correct it; it is read again as soon as it changes.',
  },
  'reload-whole': {
    message: 'The config can be loaded again; this is generation {generation} ({changes}).',
    remedy: 'Nothing to do.',
  },
  'edit-refused': {
    message: '{file} was not changed: it would have these problems.',
    remedy: 'Correct the file first, or say more precisely what to add.',
  },
  'entry-skipped': { message: 'Skipped a broken hook: {detail}', remedy: '{fix}' },
  'entry-broken': {
    message: '{place}: this entry is broken, so it does not run; the others do. {detail}',
    remedy: '{fix}',
  },
  'guard-broken': {
    message: '{place}: this guard is broken, so whatever it could have matched is refused. {detail}',
    remedy: '{fix}',
  },
  'hook-repeated': {
    message: 'It never runs: "{first}" does the same, and matches whatever this hook matches.',
    remedy: 'Remove one of the two.',
  },
  'program-missing': { message: '`{program}` {detail}.', remedy: '{fix}' },
  'convert-refused': {
    message: 'In {to} this hook would mean something else: {detail}.',
    remedy: 'Convert with `--bridge`, so that Hookline runs it as it is; or with `--lossy`, to write it all the same.',
  },
  'convert-empty': {
    message: 'None of the hooks can be written for {to}: the config would guard nothing.',
    remedy: 'Convert with `--bridge`, or keep the original; with `--lossy` the empty config is written.',
  },
  'speaks-another-language': {
    message: 'What it runs reads the payload of {from} and answers as {from} expects; {to} does neither.',
    remedy: '{fix}',
  },

  // Raising an event
  'payload-invalid': {
    message: 'The payload of {event} is not valid: `{path}` {detail}.',
    remedy: 'Send the fields listed in docs/events.md for {event}.',
  },
  'payload-unreadable': {
    message: 'The hooks cannot judge this, so it does not run. {detail}',
    remedy: 'Do it in smaller steps, or ask the user to do it.',
  },
  'event-without-counterpart': {
    message: '`{event}` of {dialect} has no counterpart here, so no hook runs on it.',
    remedy: 'Nothing is lost but the time: call Hookline only on the events that docs/dialects.md lists.',
  },
  closed: { message: 'These hooks are closed.', remedy: 'Create them anew with createHooks().' },
  sealed: { message: 'These hooks are sealed: no function can be added.', remedy: 'Create them without `sealed`.' },
  'not-at-the-edge': { message: '{what} needs files and processes, which an edge runtime has not.', remedy: '{fix}' },
  'approval-token': {
    message: 'An approval has an empty token.',
    remedy: 'Use the token that `keep` gave back, or an id of your own that nobody can guess.',
  },
  'adapter-event': {
    message: '{adapter} never raises `{event}`, so the hook `{hook}` does not run there.',
    remedy: '{fallback}',
  },
  'adapter-limit': { message: 'In {adapter}, {what}.', remedy: '{fallback}' },
  'adapter-version': {
    message: '{adapter} cannot guard {name} {version}.',
    remedy: 'Install {name} {wanted}. Until then, wrap your tools with `hooks.guardTool` (docs/guides/embed.md).',
  },
  'unknown-hook': { message: 'There is no hook `{id}`.', remedy: 'See which there are: `hookline list`.' },
  'managed-hook': {
    message: 'The hook `{id}` was set by the administrator of this machine and cannot be turned off.',
    remedy: 'Ask the administrator.',
  },
  'recursion-limit': {
    message: 'Hooks raised events inside hooks {depth} levels deep; this one did not run.',
    remedy: 'Let the hook call something that does not run hooks itself.',
  },
  'rewrite-loop': {
    message: 'Hooks keep rewriting each other: {hooks} had to run more than {limit} times.',
    remedy: 'Put the rewriting hooks in stages of their own, or let only one of them rewrite.',
  },

  // What became of an opinion
  'effect-not-honoured': {
    message: '{event} does not honour `{effect}`, so it was dropped.',
    remedy: 'See docs/events.md for what {event} can do.',
  },
  'ask-becomes-deny': {
    message: '{event} has nobody to ask, so `ask` became `deny`.',
    remedy: 'Answer `deny` or `allow` on this event.',
  },
  'rewrite-refused': {
    message: 'A hook gave {what}, which {host} would drop; so it became a refusal.',
    remedy:
      'The reason says what to do instead. To avoid it, let the hook block, and give the better way as its reason.',
  },
  'redo-cap': {
    message: 'Sent back {cap} times already; this time the agent may stop. Its reason: {reason}',
    remedy: 'Check `{flag}` in the hook, or make its reason something the agent can act on.',
  },
  'state-unavailable': {
    message: 'What is counted in this session cannot be kept: {detail}',
    remedy: 'Make the state directory writable (see docs/config.md); until then every event is judged as the first.',
  },
  'rewrite-dropped': { message: 'A rewrite was not applied: {detail}.', remedy: '{fix}' },
  'reply-field-ignored': {
    message: 'The reply has `{field}`, which {dialect} does not know here; it was ignored.',
    remedy: 'Check the spelling; see the document of {dialect}.',
  },
  'reply-value-ignored': {
    message: 'In the reply, `{field}` {detail}; it was ignored.',
    remedy: 'See the document of {dialect}.',
  },
  'reply-not-json': {
    message: 'The reply begins like JSON but is not ({detail}), so it was taken as plain text.',
    remedy: 'Build it with a tool that quotes for you, such as `jq -n`.',
  },
  'text-sanitised': { message: 'Control characters were removed from `{effect}`.', remedy: 'Print plain text.' },
  'translation-lost': { message: '{what} has no counterpart in {dialect} and was left out.', remedy: '{fix}' },
  'shadow-would': {
    message: 'In shadow mode; it would have answered: {opinion}.',
    remedy: 'Set `mode: enforce` to make it count.',
  },

  // What became of a hook
  'hook-failed': { message: 'The hook failed ({kind}): {detail}', remedy: '{fix}' },
  'hook-warned': {
    message: 'The hook failed and did not block ({kind}): {detail}',
    remedy: 'Set `on_failure: closed` if it guards something.',
  },
  'hook-late': {
    message: 'The hook answered after its deadline; the answer was ignored.',
    remedy: 'Raise `timeout`, or make the hook faster.',
  },
  'hook-leaked': {
    message: 'The hook left processes behind: {detail}.',
    remedy: 'Let the hook wait for what it starts.',
  },
  'shebang-fallback': {
    message: '{interpreter} does not exist; {found} from PATH was used.',
    remedy: 'Correct the first line of the script.',
  },
  'working-dir-missing': {
    message: 'The working directory {directory} does not exist; {used} was used.',
    remedy: 'Set `working_dir` to a directory that exists.',
  },
  'env-value-dropped': {
    message: '`{name}` was left out of the environment: {detail}.',
    remedy: 'Read it from the payload on stdin.',
  },
  'resident-noise': {
    message: 'The resident hook printed what is no JSON-RPC reply: {text}',
    remedy: 'Print one reply per line on stdout and nothing else; log to stderr.',
  },
  'sandbox-limit': {
    message: 'The sandbox cannot run this: {detail}.',
    remedy: 'Use a `command` hook for host programs.',
  },
  // Tools of the agent
  'toolset-unsupported': {
    message: 'The toolset `{type}` is not supported, so its tools were left out.{hint}',
    remedy: 'Supported are: {known}.',
  },
  'toolset-option-ignored': {
    message: 'The toolset `{type}` has no option `{option}` here; it was ignored.',
    remedy: 'docs/agent-tools.md lists the options.',
  },
  'toolset-failed': {
    message: 'The toolset `{type}` could not be opened: {detail}',
    remedy: 'Its tools are missing until that is put right.',
  },
  'toolset-not-in-sandbox': {
    message: 'The toolset `{type}` was left out of the sandbox: {why}.',
    remedy: 'Run without `--sandbox` to have it.',
  },
  'private-ips-refused': {
    message: 'The toolset `{type}` wants to reach this machine and private networks, which nobody here has allowed.',
    remedy: 'If you know what it is for, start with `--allow-private-ips`.',
  },
  'tool-name-taken': {
    message: 'The toolset `{type}` has a tool `{tool}`, and another one of that name comes first.',
    remedy: 'Leave one of them out with `tools:`, or give an MCP server another `name:`.',
  },
  'mcp-pins-damaged': {
    message: 'What is remembered of the tools of an MCP server cannot be read: {file}',
    remedy:
      'Delete the file: the tools are then pinned again as they are now. Look at them first: `hookline mcp tools`.',
  },
  'mcp-server-lost': {
    message: 'The MCP server `{server}` is gone: {detail}',
    remedy: 'Its next call starts it again.',
  },
  'background-failed': { message: 'A background hook failed ({kind}): {detail}', remedy: '{fix}' },
  'background-objected': {
    message: 'A background hook objected after everything had gone on: {reason}',
    remedy: 'See to it yourself; to have it count, let the hook be waited for.',
  },
  'background-abandoned': {
    message: 'A background hook was still running at close and was stopped.',
    remedy: 'Shorten it, or raise the `drain` limit of close().',
  },

  // Proving a hook
  'canary-passed': {
    message: 'It does not block its canary ({canary}): it answered {answer}.',
    remedy: '{fix}',
  },
  'rule-not-enforced': {
    message: 'The rule `{id}` does not stop {sample}: the answer is {answer}.',
    remedy: 'Another rule may allow it. `hookline explain` shows which rules match and which decides.',
  },
  'canary-unseen': {
    message: 'Its own matcher keeps its canary ({canary}) from it: {detail}.',
    remedy: 'Correct the matcher, or the canary: as it is, the guard never runs on what it should block.',
  },
  'canary-invalid': { message: 'Its canary does not fit {event}: {detail}.', remedy: '{fix}' },
  'canary-missing': {
    message: 'Nothing proves that this guard blocks anything.',
    remedy:
      'Add `canary:` to the hook, with something that it must block, such as `canary: {example}`; or, in a config of another system, write a case for `hookline test`.',
  },
  'sample-missing': {
    message: 'It was not run: no payload could be made that its matcher accepts ({detail}).',
    remedy: 'Add `canary:` to the hook, with a payload that reaches it.',
  },
  'hook-slow': {
    message: 'It took {took}, which is {share} of its time-out of {limit}.',
    remedy: 'Make it faster, or raise `timeout`: a hook that runs into its time-out fails.',
  },

  // Testing hooks
  'case-rule': { message: 'There is no rule `{id}`.{hint}', remedy: 'The rules that are tested here: {known}.' },
  'case-hook': { message: 'There is no hook `{id}`.{hint}', remedy: 'The hooks that are tested here: {known}.' },

  // Trust
  'hook-inactive': {
    message: 'NOT ACTIVE: the hook did not run, and everything goes on as if it were not there. {detail}',
    remedy: '{fix}',
  },
  'hooks-wait': {
    message: 'Nobody has approved these hooks as they are, so they do not run, or not as a whole: {ids}.',
    remedy: 'Look at them and approve them: `{command}`.',
  },
  'hook-not-approved': {
    message: 'Nobody has approved this hook; `{command}` shows what it runs, and asks.',
    remedy: 'Look at it and approve it: `{command}`.',
  },
  'hook-changed': {
    message: 'It has changed since it was approved ({detail}); `{command}` shows what changed, and asks.',
    remedy: 'Look at what changed and approve it again: `{command}`.',
  },
  'hook-refused': {
    message: 'The hook `{id}` cannot be approved: {detail}.',
    remedy: 'Correct that first: whoever else can change what runs would have your approval too.',
  },
  'approvals-unwritable': {
    message: 'The approvals in {directory} cannot be written: {detail}.',
    remedy: 'Make room, or let the directory be yours and writable. Until then everything is as approved as before.',
  },
  'approvals-damaged': {
    message: 'The approvals in {file} cannot be read, so nothing is trusted: {detail}.',
    remedy: 'Put back a copy, or set the file aside with `hookline revoke --all` and approve your hooks again.',
  },
  'approvals-unsafe': {
    message: 'The approvals in {file} are not yours alone, so nothing is trusted: {detail}.',
    remedy: 'Find out who wrote to it; then `hookline revoke --all`, and approve your hooks again.',
  },
  'approvals-inside': {
    message:
      'The approvals in {directory} are inside the workspace, which could have written them; nothing is trusted.',
    remedy: 'Point XDG_STATE_HOME to a directory outside, or leave it unset.',
  },
  'proposals-damaged': {
    message: 'The proposed rules in {file} cannot be read.',
    remedy: 'Move the file away; rules that were waiting there must be proposed again.',
  },
  'proposals-full': {
    message: '{count} proposed rules are waiting already.',
    remedy: 'A person decides about them first: `hookline rules pending`.',
  },
  'approval-needs-person': {
    message: 'This needs a person at a terminal.',
    remedy:
      'Run it in a terminal; or, where there is none, with `--yes` and HOOKLINE_APPROVE_TOKEN, which `hookline approve --new-token` makes.',
  },
  'person-under-agent': {
    message: 'This needs a person, and it runs under {agent}: {sign} shows it.',
    remedy: 'Run it yourself, in a terminal that no agent has started.',
  },
  'person-scripted': {
    message: 'This needs a person, and `{program}` types into this terminal.',
    remedy:
      'Run it in a terminal of your own. With a passphrase (`hookline approve --new-passphrase`) it works in any terminal; for scripts there is `--yes` with HOOKLINE_APPROVE_TOKEN.',
  },
  'passphrase-damaged': {
    message: 'The passphrase in {file} cannot be read.',
    remedy: 'Delete the file yourself, and set a new one: `hookline approve --new-passphrase`.',
  },
  'user-layer-elsewhere': {
    message: 'Your own hooks in {directory} count, although XDG_CONFIG_HOME leads to {now}.',
    remedy: 'Unset the variable where the agent is started. If you have moved your hooks, delete the old ones.',
  },
  'user-layer-gone': {
    message: 'This file is gone, and you have approved hooks in it.',
    remedy:
      'Put it back, or begin anew: `hookline init --user`. If you want none of your own any more: `hookline revoke --all --config {file}`.',
  },
  'switched-off': {
    message: 'Hooks are switched off since {since}: only those of the administrator run.',
    remedy: 'Switch them on again: `hookline on`.',
  },
  'switched-on': {
    message: 'Hooks are on again; they were off since {since}.',
    remedy: 'Nothing to do.',
  },
  'self-approve-off': {
    message: 'Programs may not approve hooks here.',
    remedy:
      'Let a person approve them in a terminal. To allow it all the same, set `self_approve: loopback` under `trust` in your own config, outside every project; docs/trust.md says what that means.',
  },
  'hook-self-approved': {
    message: 'A program has approved `{id}` without a person (`trust.self_approve`).',
    remedy: 'Look at it with `hookline list`; `hookline revoke {id}` takes it back.',
  },
  'hook-token-approved': {
    message: '`{id}` was approved with HOOKLINE_APPROVE_TOKEN, without a person at a terminal.',
    remedy: 'Look at it with `hookline list`; `hookline revoke {id}` takes it back.',
  },
  'trust-failed': {
    message: 'Whether the hook may run could not be found out: {detail}.',
    remedy: 'Run `hookline list` with the same config to see more.',
  },

  // Hosts in which Hookline is installed
  'host-unknown': {
    message: 'There is no agent `{host}` that Hookline can be installed in.{hint}',
    remedy: 'Known are: {known}.',
  },
  'host-file-unreadable': {
    message: '{file} cannot be read as its agent reads it: {detail}. It is left as it is.',
    remedy: 'Correct the file, since its agent runs no hook while it is so, and says nothing; then install again.',
  },
  'host-file-taken': {
    message: '{file} is there already, and is not ours. It is left as it is.',
    remedy: 'Move it away, then install again.',
  },
  'host-no-mcp': {
    message: '{called} keeps its MCP servers of this scope ({scope}) where Hookline does not edit them.',
    remedy: 'Put `hookline mcp -- ` in front of the command of each server by hand.',
  },
  'npx-copy': {
    message: 'This is a copy that npx keeps for a while ({program}); agents would start it until npm clears it.',
    remedy: 'Install both for good, `npm install -g hookline @hookline/mcp`, and run `hookline install` again.',
  },
  'host-scope': {
    message: '{called} has no place for hooks of {whose} that is known to work.',
    remedy: 'Install it with {instead}.',
  },
  'policy-differs': {
    message: 'The policy here is {digest}, and this job is pinned to {pinned}: nothing was run.',
    remedy: 'See what has changed since; if it is meant, put the new digest into the job. `hookline ci` prints it.',
  },
  'host-needs-root': {
    message: 'Files of the administrator are written by root.',
    remedy: 'Run it with sudo, or install for yourself: --user.',
  },
  'host-file-not-roots': {
    message: '{file} is not root’s alone: whoever else can write there could take the entry out again.',
    remedy: 'Give it, and the directories above it, to root, without write permission for others; then install again.',
  },
  'host-switched-off': {
    message: '{called} runs no hooks: `{key}` is set in {file}.',
    remedy: 'Remove `{key}`; until then nothing is guarded there.',
  },
  'host-skips': {
    message: '{called} skips our hooks as they are.',
    remedy: '{fix}',
  },

  // The agent and its models
  'agent-key-unsupported': { message: '`{path}` has no effect here.', remedy: '{instead}' },
  'agent-key-unknown': {
    message: '`{key}` is not known here, and has no effect.',
    remedy: 'Remove it, or check it against the documentation of agent files.',
  },
  'agent-key-elsewhere': {
    message: 'This model sends {variable} to {url}.',
    remedy: 'Name the key of that server in `token_key`.',
  },
  'agent-file-unapproved': {
    message: '{file} brings what nobody has approved as it is now, so it is left out:{what}',
    remedy:
      'Look at it and approve it: `hookline approve {file}`. To let it count this once, whatever it is: `--trust all`.',
  },
  'agent-power-changed': {
    message: '`{id}` of {file} has changed since it was approved, so it is not started.',
    remedy: 'Look at what changed and approve it again: `hookline approve {file}`.',
  },
  'agent-model-unapproved': {
    message: 'Nobody has approved the server that the agent `{agent}` of {file} would talk to.',
    remedy: 'Look at it and approve it: `hookline approve {file}`; or name another model with `--model`.',
  },
  'agent-registry': {
    message: '`{agent}` names an agent file in a registry, and it could not be fetched: {detail}.',
    remedy: 'Name a file; or, if it begins a prompt, put the whole prompt in quotes.',
  },
  'agent-provider-unsupported': {
    message: 'The provider `{provider}` is not supported, so this model cannot be used.',
    remedy: 'Supported are: {known}. A server with the chat completions API: `openai-compatible`, with its `base_url`.',
  },
  'agent-harness-unsupported': {
    message: 'The agent `{agent}` is run by another program ({harness}), which is not done here, so it cannot answer.',
    remedy: 'Give it a `model` instead of `harness`, or name one with `--model`.',
  },
  'agent-instruction-missing': {
    message: 'There is no text file `{file}` beside this file, so the agent has no instruction from it.',
    remedy: 'Put it into the directory of this file or below, or write the text under `instruction`.',
  },
  'agent-elsewhere': {
    message: '`{agent}` is an agent of a registry, which cannot be loaded here; it was left out.',
    remedy: 'Write the agent into this file, and name it.',
  },
  'model-key-missing': {
    message: 'There is no key for {provider}: {variable} is not set.',
    remedy: 'Set {variable}, name another model, or use the model `rehearsal`, which needs no key.',
  },
  'model-key-refused': {
    message: '{model} did not accept the key: {detail}',
    remedy: 'Check {variable}, and whether the account may use this model.',
  },
  'model-unknown': {
    message: 'There is no model `{model}`.{hint}',
    remedy: 'Write `provider/model`, such as `anthropic/claude-sonnet-5-5`. Known here: {known}.',
  },

  // The server
  'request-not-found': {
    message: 'There is no {what} here.',
    remedy: 'Check the address; `GET /api/openapi.json` lists everything there is.',
  },
  'request-invalid': {
    message: 'The request is not valid: {detail}.',
    remedy: 'Correct it; `GET /api/openapi.json` describes what is expected.',
  },
  'request-too-large': {
    message: 'The request is larger than the limit of {limit}.',
    remedy: 'Send less.',
  },
  'request-too-many': {
    message: 'Too many requests.',
    remedy: 'Wait {seconds} s and try again.',
  },
  'request-conflict': { message: '{detail}', remedy: 'Look at how it is now, and try again.' },
  'request-failed': {
    message: 'The server made a mistake, and nothing was changed.',
    remedy: 'What happened is in the output of `hookline serve`.',
  },
  'server-host': {
    message: 'This server does not answer under the name `{host}`.',
    remedy: 'Open it under the address that `hookline serve` printed; for another name, start it with `--public-url`.',
  },
  'server-origin': {
    message: 'This request comes from another page ({origin}).',
    remedy: 'Only the console itself, and programs with a token, may use this server.',
  },
  'sign-in-needed': {
    message: 'You are not signed in.',
    remedy:
      'Open the sign-in link that `hookline serve` printed; in its terminal, Enter makes a new one. Programs send a token: `Authorization: Bearer …`.',
  },
  'sign-in-failed': {
    message: 'This sign-in link is used up, too old, or wrong.',
    remedy: 'Press Enter in the terminal of `hookline serve`: it prints a new one.',
  },
  'server-oidc': {
    message: 'The settings of the identity provider ({file}) cannot be used: {detail}.',
    remedy: 'docs/server.md shows what they look like.',
  },
  'role-too-weak': {
    message: 'This needs the role {needed}, and you are signed in as {role}.',
    remedy: 'Somebody with that role can do it, or make a token that has it.',
  },
  'proof-needed': {
    message: 'This needs you: what it changes, an agent must not change by itself.',
    remedy: 'Show that you are there: `POST /api/proof`, which the console does for you. A token does not do.',
  },
  'server-change': {
    message: '{who} {what}, through the server.',
    remedy: 'Nothing to do; it is written down so that you know.',
  },
  'rule-elsewhere': {
    message: 'There is no rule called `{id}` in {file}.',
    remedy: 'Rules of bundles are muted with `disabled:`; one without an `id` needs one first.',
  },
  'enrolment-refused': {
    message: 'This enrolment token is used up, too old or wrong, or it was sent to another address than its server’s.',
    remedy:
      'An administrator makes a new one (`POST /api/enrolments`). The address must be the one that `hookline serve` printed, and the clocks must agree.',
  },
  'machine-unknown': {
    message: 'This machine is not enrolled here, or it was revoked; or its clock is wrong.',
    remedy: 'Check its clock. Else leave with `hookline enroll --leave`, and enrol again with a new token.',
  },
  'enroll-address': {
    message: '`{url}` is not an address to which a machine can show its key.',
    remedy: 'Give the https:// address of the server; http:// only where it runs on this machine (127.0.0.1).',
  },
  'enroll-unreachable': {
    message: '{server} does not answer: {detail}.',
    remedy: 'Check the address and the network, and that `hookline serve` runs there.',
  },
  'enroll-refused': { message: '{server} refused: {detail}', remedy: '{remedy}' },
  enrolled: {
    message: 'This machine was enrolled with {server}, as {machine}.',
    remedy: 'Nothing to do; it is written down so that you know.',
  },
  unenrolled: {
    message: 'This machine left {server}, where it was {machine}.',
    remedy: 'Nothing to do; it is written down so that you know.',
  },
  'fleet-refused': {
    message: 'The policy of the fleet cannot be relied on, so nothing runs: {detail}.',
    remedy:
      'The daemon fetches it anew; `hookline policy fetch` does so now, and `hookline enroll --status` shows how that went.',
  },
  'fleet-blocked': {
    message: 'The policy of the fleet is stale since {since}, and its administrator wants nothing to run then.',
    remedy: 'Check that this machine reaches its server: `hookline policy fetch` says what is wrong.',
  },
  'fleet-stale': {
    message: 'The policy of the fleet is stale since {since}; it stays in force.',
    remedy: 'Check that this machine reaches its server: `hookline policy fetch` says what is wrong.',
  },
  'fleet-update-refused': {
    message: 'A newer policy of the fleet was not taken; the one before stays in force: {detail}',
    remedy: 'Tell whoever runs the fleet. `hookline policy fetch` tries again.',
  },
  'fleet-none': {
    message: 'No policy of the fleet is in force here: the one that is published was not taken: {detail}',
    remedy: 'Tell whoever runs the fleet. `hookline policy fetch` tries again.',
  },
  'fleet-shadow': {
    message: 'The policy of the fleet only watches: its administrator has switched it to `mode: shadow`.',
    remedy: 'Nothing to do; reports show what it would have blocked.',
  },
  'policy-wrong': { message: '{detail}', remedy: '{fix}' },
  'enrolled-already': {
    message: 'This machine is enrolled with {server} already, as {machine}.',
    remedy: 'To change that, leave first: `hookline enroll --leave`{how}.',
  },
  'enrolled-nowhere': {
    message: 'This machine is enrolled nowhere.',
    remedy: 'Ask an administrator for a token, and run `hookline enroll <url> --token …`.',
  },
  'enrolment-unreadable': {
    message: 'What this machine keeps of its enrolment, {file}, cannot be used: {detail}.',
    remedy: 'Leave with `hookline enroll --leave`, and enrol again with a new token.',
  },
  'server-open': {
    message: '{address} can be reached from other machines, and nothing would encrypt what they send.',
    remedy:
      'Pass `--tls-cert` and `--tls-key`; or `--public-url https://…` if a proxy before it encrypts; or listen on 127.0.0.1.',
  },
  'server-taken': {
    message: 'Something else listens on {address} already.',
    remedy: 'Stop it, or choose another port: `hookline serve --listen 127.0.0.1:0` takes a free one.',
  },
  'server-address': {
    message: 'Nothing can listen on {address}: {detail}.',
    remedy:
      'Choose an address of this machine, and as an ordinary user a port above 1023: `hookline serve --listen 127.0.0.1:4665`.',
  },
  'server-file': {
    message: '{file} cannot be read: {detail}.',
    remedy: 'Check the path, and that the user who runs the server may read it.',
  },
  'database-away': {
    message: 'The database cannot be used: {detail}.',
    remedy:
      'Look whether PostgreSQL runs there, whether its name and password are right, and whether the database exists. Turns that had begun go on when it is back.',
  },
  'database-file': {
    message: 'The database {file} cannot be used: {detail}.',
    remedy:
      'Check that this user may write there, and that the disk has room. If the file is damaged, move it away: the server reads the journal of this machine again; what other machines have sent is in that file alone.',
  },
  'database-newer': {
    message: 'A newer server has used this database: its tables have version {version}, and this one knows {latest}.',
    remedy: 'Use that version of @hookline/server, or another database: `--database <file|postgres://…>`.',
  },

  // The journal
  'journal-failed': {
    message: 'The journal could not be written: {detail}.',
    remedy: 'Free disk space or correct the path. Entries lost so far: {lost}.',
  },
  'journal-torn': {
    message: 'The last entry of {file} was torn by a crash; {bytes} bytes were set aside.',
    remedy: 'Nothing to do: the entries before it are intact.',
  },
  'journal-open': {
    message: 'The journal {file} cannot be opened: {detail}.',
    remedy: 'Use a path of your own, not a link, that you can write.',
  },
  'journal-cut': {
    message: 'The journal {file} was changed by another program: {detail}.',
    remedy:
      'Let the journal rotate itself (`max_bytes`, `keep`), and compare with a checkpoint: `verify` says what is missing.',
  },

  // Sessions of the agent
  'session-id': {
    message: '`{id}` cannot be the id of a session.',
    remedy: 'Use letters, digits, dots, dashes and underscores.',
  },
  'session-unknown': {
    message: 'There is no session `{id}`.',
    remedy: 'Run `hookline sessions` for those that there are.',
  },
  'session-in-use': {
    message: 'The session `{id}` is going on in another process ({pid}).',
    remedy: 'End it there first. If that process is something else, delete {file}.',
  },
  'session-directory': {
    message: 'The session `{id}` worked in {directory}, which is not there any more.',
    remedy: 'Make that directory again, or begin a new session: `hookline run`.',
  },
  'session-none': {
    message: 'No session has worked in {directory} yet.',
    remedy: 'Run `hookline sessions` for those that there are, and name one: `--resume=<id>`.',
  },
  'session-ambiguous': {
    message: '`{id}` could be several sessions: {found}.',
    remedy: 'Write more of the id.',
  },
  'worktree-no-repository': {
    message: 'There is no git repository at {directory} to make a worktree of.',
    remedy: 'Run it inside a repository, or without `--worktree`.',
  },
  'worktree-name': {
    message: 'A worktree cannot be named `{name}`: it {detail}.',
    remedy: 'Choose another name: `--worktree=<name>`.',
  },
  'sandbox-unknown': {
    message: 'There is no sandbox `{name}`.',
    remedy: 'Give one of these to `--sandbox`: {known}.',
  },
  'sandbox-unavailable': {
    message: 'The sandbox `{name}` does not work here: {detail}',
    remedy: '{remedy}',
  },
  'worktree-failed': {
    message: 'The worktree could not be made: {detail}.',
    remedy: 'Commit something first if the repository is empty; else see what git says.',
  },
} as const satisfies Record<string, { message: string; remedy: string }>

export type Code = keyof typeof problems

type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type Details<C extends Code> = Record<
  Names<(typeof problems)[C]['message'] | (typeof problems)[C]['remedy']>,
  string | number
>

/** A place in a file; line and column count from 1. */
export interface Where {
  file: string
  line?: number
  column?: number
}

/** A coded, non-fatal remark that travels with a verdict. */
export interface Note {
  code: Code
  message: string
  remedy: string
  hook?: string
  where?: Where
}

export function note<C extends Code>(code: C, details: Details<C>, about: { hook?: string; where?: Where } = {}): Note {
  return {
    code,
    message: fill(problems[code].message, details),
    remedy: fill(problems[code].remedy, details),
    ...about,
  }
}

/** A coded error. `notes` holds every problem when there are several. */
export class HooklineError extends Error {
  override name = 'HooklineError'
  readonly code: Code
  readonly remedy: string
  readonly notes: readonly Note[]

  constructor(problem: Note, notes: readonly Note[] = [problem]) {
    super([formatNote(problem), ...notes.filter((other) => other !== problem).map(formatNote)].join('\n'))
    this.code = problem.code
    this.remedy = problem.remedy
    this.notes = notes
  }
}

export function formatWhere(where: Where): string {
  return [where.file, where.line, where.column].filter((part) => part !== undefined).join(':')
}

/** The same without the column: enough to find a rule or a hook. */
export const formatLine = ({ file, line }: Where): string => (line === undefined ? file : `${file}:${line}`)

/** One line a person can act on: where, what, what to do. */
export function formatNote(note: Note): string {
  const place = note.where ? `${formatWhere(note.where)}: ` : ''
  const hook = note.hook ? `hook "${note.hook}": ` : ''
  return printable(`${place}${hook}${note.message} ${note.remedy}`.trim())
}

/** What is filled in may be a sentence of its own, which ends by itself. */
function fill(template: string, details: Record<string, string | number>): string {
  return template
    .replace(/\{(\w+)\}(\.?)/g, (whole, name: string, stop: string) => {
      const detail = details[name]
      return detail === undefined ? whole : `${detail}${/[.!?]$/.test(String(detail)) ? '' : stop}`
    })
    .trim()
}

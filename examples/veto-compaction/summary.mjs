/** The answer of a hook: the summary is what this event lets one rewrite. */
console.log(JSON.stringify({ replace: 'The user reads: the story is about a hook.' }))

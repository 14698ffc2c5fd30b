/** The same laws, with the store in a PostgreSQL. */
process.env['HOOKLINE_TEST_DATABASE'] = 'postgres'
await import('./sessions.test.ts')

export {}

/** What a command would be called with, for the functions of the command line. */
export const calledIn = (cwd: string) => ({
  values: { cwd },
  positionals: [],
  ...{ input: process.stdin, output: process.stdout, errors: { write: () => true } as never },
})

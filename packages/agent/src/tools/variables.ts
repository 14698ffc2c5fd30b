/** docker-agent's `${env.NAME}`, and the shell's `${NAME}` and `$NAME`, in the values of an agent file. */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(
    /\$\{env\.(\w+)\}|\$\{(\w+)\}|\$(\w+)/g,
    (_, dotted: string, braced: string, bare: string) => env[dotted ?? braced ?? bare] ?? '',
  )
}

export function expandAll(
  values: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expandVariables(String(value), env)]))
}

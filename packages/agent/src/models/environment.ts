export type Environment = Readonly<Record<string, string | undefined>>

/** `${env.NAME}` and `${NAME}`, as docker-agent writes them. */
export const fillVariables = (text: string, env: Environment): string =>
  text.replace(/\$\{(?:env\.)?(\w+)\}/g, (_, name: string) => env[name] ?? '')

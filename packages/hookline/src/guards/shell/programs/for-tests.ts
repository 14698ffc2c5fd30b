/** Databases that are there for tests, by the variable in which a framework keeps which of its databases is meant. */
import type { Call, Danger } from '../types.ts'

const VARIABLES: Readonly<Record<string, string>> = {
  rails: 'RAILS_ENV',
  rake: 'RAILS_ENV',
  mix: 'MIX_ENV',
  artisan: 'APP_ENV',
  php: 'APP_ENV',
  console: 'APP_ENV',
  sequelize: 'NODE_ENV',
  'sequelize-cli': 'NODE_ENV',
  knex: 'NODE_ENV',
}

/** What tests fill is made again. An address in the line is another database. */
export function sparedForTests(dangers: Danger[], { name, state }: Call): Danger[] {
  const variable = Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined
  const value = variable === undefined ? '' : (state.variables.get(variable)?.[0]?.text ?? '')
  if (!/^test(?:ing)?$/.test(value) || state.variables.has('DATABASE_URL')) return dangers
  return dangers.map((danger) => (danger.category === 'database' ? { ...danger, radius: 'low', mild: true } : danger))
}

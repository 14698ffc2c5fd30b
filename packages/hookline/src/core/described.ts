import * as z from 'zod/mini'

/** A schema that says what it is for: in errors, in the JSON Schema that editors read, in the tables of the docs. */
export const described = <S extends z.ZodMiniType>(schema: S, description: string): S =>
  schema.check(z.describe(description)) as S

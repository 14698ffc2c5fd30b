import * as z from 'zod/mini'

export const noArgs = z.strictObject({})

const describedAs = <S extends z.ZodMiniType>(schema: S, text: string): S => schema.check(z.describe(text)) as S

/** One argument: its schema, what it means, and its value when it is not given. */
export function argument<S extends z.ZodMiniType>(schema: S, doc: string, fallback: z.output<S>): z.ZodMiniDefault<S> {
  return describedAs(z._default(schema, fallback as never), doc) as z.ZodMiniDefault<S>
}
export const required = <S extends z.ZodMiniType>(schema: S, doc: string): S => describedAs(schema, doc)
export const optional = <S extends z.ZodMiniType>(schema: S, doc: string): z.ZodMiniOptional<S> =>
  describedAs(z.optional(schema), doc)

export const text = z.string().check(z.minLength(1))
export const texts = z.array(text)
export const flag = z.boolean()
export const count = z.int().check(z.positive())

/**
 * A schema of any library that implements Standard Schema (https://standardschema.dev): zod, valibot, arktype and others.
 * Every public interface takes these, so that hooks, builtins and executors can use the schemas of the program they are in.
 */
export interface StandardSchema<T = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<T> | Promise<SchemaResult<T>>
    readonly types?: { readonly input: unknown; readonly output: T } | undefined
    /** Standard JSON Schema: libraries that have it say what editors should accept. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: 'draft-07' }) => Record<string, unknown> }
      | undefined
  }
}

export type SchemaResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

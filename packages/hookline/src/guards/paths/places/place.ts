export interface SensitivePlace {
  /** What lies there, as the end of a sentence. */
  what: string
  access: 'read' | 'write' | 'both'
  /**
   * Where. From the root when it starts with `/`, else below any directory. `dir/` is the directory and all in it, `dir/**` only what is in it.
   * `*` stands for any characters of one name, `?` for one. Case does not count.
   */
  paths: readonly string[]
  except?: readonly string[]
}

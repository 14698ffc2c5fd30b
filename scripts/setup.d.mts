export const root: string
export function install(): void
export function tool(script: string, args: readonly string[], options?: object): number
export function build(options?: { declarations?: boolean }): number
export function makeFresh(options?: { declarations?: boolean }): void
export function packageFolders(): string[]
export function checkTypes(): number

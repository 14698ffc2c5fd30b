export const root: string
export function install(): void
export function tool(script: string, args: readonly string[], options?: object): number
export function build(): number
export function makeFresh(): void
export function checkTypes(): number

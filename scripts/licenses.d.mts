export function writeLicenses(packages: readonly string[], file: string): void

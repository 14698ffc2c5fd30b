import { createJiti } from 'jiti'

/** Modules whose values are known when the command line is built: there, they are written out. */
const modules = /\/src\/guards\/secrets\/rules\/keywords\.ts$/

export function known() {
  const { import: load } = createJiti(import.meta.url)
  return {
    name: 'known',
    load: {
      filter: { id: modules },
      async handler(id) {
        const values = Object.entries(await load(id))
        return values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`).join('\n')
      },
    },
  }
}

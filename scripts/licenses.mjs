import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** The licences of the packages whose code is in the bundle, as they ask for. */
export function writeLicenses(packages, file) {
  const parts = packages.map((name) => {
    const folder = `node_modules/${name}`
    const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
    const text = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    return `# ${name} ${version} (${license})\n\n${text ? readFileSync(`${folder}/${text}`, 'utf8').trim() : `Licensed under ${license}.`}\n`
  })
  writeFileSync(file, `Parts of these packages are in the files beside this one.\n\n${parts.join('\n')}`)
}

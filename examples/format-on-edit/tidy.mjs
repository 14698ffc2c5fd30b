import { readFileSync, writeFileSync } from 'node:fs'

/** Stands for your formatter: one space between words, none at the end of a line. */
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/[ \t]+$/gm, '').replace(/ {2,}/g, ' '))
}

/** Publishes the current JSON-LD context under the next number, unless it equals the newest published one. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { NAMESPACE_PLACEHOLDER, readContextVersions } from '../src/site/json-ld/context-versions.ts'
import { renderContext } from '../src/site/json-ld/vocabulary.ts'

const folder = new URL('../assets/contexts/', import.meta.url)
mkdirSync(folder, { recursive: true })
const versions = readContextVersions()
const text = renderContext(NAMESPACE_PLACEHOLDER)
if (versions.at(-1)?.buildText(NAMESPACE_PLACEHOLDER) === text)
  console.log('Nothing new: the newest one is the same.')
else {
  const name = `v${versions.length + 1}.json`
  writeFileSync(new URL(name, folder), text, { flag: 'wx' })
  console.log(
    `assets/contexts/${name} is published with the next release. Add its digest to test/site/contexts.test.ts.`,
  )
}

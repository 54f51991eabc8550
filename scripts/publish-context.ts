/**
 * Publishes each JSON-LD context under its next number, unless it equals its newest published one: that of
 * JSON-LD passports, and those of EN 18223, one for each category.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { allCategories } from '../src/categories/catalogue.ts'
import {
  NAMESPACE_PLACEHOLDER,
  readContextVersions,
  readEnContexts,
} from '../src/site/json-ld/context-versions.ts'
import { renderContext } from '../src/site/json-ld/vocabulary.ts'
import { renderEnContext } from '../src/standards/en18223/context.ts'

const folder = new URL('../assets/contexts/', import.meta.url)
mkdirSync(folder, { recursive: true })

type Published = { count: number; newest: string | undefined }

/** `prefix`: what the names of the files begin with. `test`: the file that holds their digests. */
function publish(text: string, prefix: string, { count, newest }: Published, test: string) {
  if (newest === text) {
    console.log(`Nothing new: assets/contexts/${prefix}v${count}.json is the same.`)
    return
  }
  const name = `${prefix}v${count + 1}.json`
  writeFileSync(new URL(name, folder), text, { flag: 'wx' })
  console.log(`assets/contexts/${name} is published with the next release. Add its digest to ${test}.`)
}

const versions = readContextVersions()
publish(
  renderContext(NAMESPACE_PLACEHOLDER),
  '',
  { count: versions.length, newest: versions.at(-1)?.buildText(NAMESPACE_PLACEHOLDER) },
  'test/site/contexts.test.ts',
)

for (const category of allCategories()) {
  const published = readEnContexts().filter(({ path }) => path.startsWith(`en18223/${category.id}/`))
  const newest = published.find(({ path }) => path.endsWith(`/v${published.length}`))
  publish(
    renderEnContext(category, NAMESPACE_PLACEHOLDER),
    `en18223-${category.id}-`,
    { count: published.length, newest: newest?.buildText(NAMESPACE_PLACEHOLDER) },
    'test/standards/en18223-contexts.test.ts, and its number to src/standards/en18223/header.ts',
  )
}

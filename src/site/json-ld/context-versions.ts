/**
 * The published JSON-LD contexts, which never change. A new field needs a new one
 * (`scripts/publish-context.ts`).
 */
import { readdirSync, readFileSync } from 'node:fs'

type ContextVersion = {
  /** The last part of its address, for example `v1`. */
  name: string
  /** The document for a server whose terms begin with `nsUrl` and `#`. */
  buildText: (nsUrl: string) => string
}

const FOLDER = new URL('../../../assets/contexts/', import.meta.url)
/** The files contain this instead of the namespace's address, which differs between servers. */
export const NAMESPACE_PLACEHOLDER = '{namespace}'

/** Oldest first. */
export function readContextVersions(): ContextVersion[] {
  return readdirSync(FOLDER)
    .flatMap(file => /^v(\d+)\.json$/.exec(file)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
    .map(number => {
      const text = readFileSync(new URL(`v${number}.json`, FOLDER), 'utf8')
      return { name: `v${number}`, buildText: nsUrl => text.replaceAll(NAMESPACE_PLACEHOLDER, nsUrl) }
    })
}

/** The published contexts of documents of EN 18223, by path below the namespace (`en18223/textile/v1`). */
export function readEnContexts(): { path: string; buildText: ContextVersion['buildText'] }[] {
  return readdirSync(FOLDER).flatMap(file => {
    const [, category, version] = /^en18223-(\w+)-(v\d+)\.json$/.exec(file) ?? []
    if (category === undefined || version === undefined) return []
    const text = readFileSync(new URL(file, FOLDER), 'utf8')
    const buildText = (nsUrl: string) => text.replaceAll(NAMESPACE_PLACEHOLDER, nsUrl)
    return [{ path: `en18223/${category}/${version}`, buildText }]
  })
}

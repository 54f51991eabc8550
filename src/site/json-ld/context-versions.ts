/**
 * The JSON-LD contexts that were published, each as the file it was published as. `assets/contexts/v1.json` is never
 * changed: what refers to it must read the same for ever. A new field makes a new file (`scripts/publish-context.ts`).
 */
import { readdirSync, readFileSync } from 'node:fs'

export type ContextVersion = {
  /** The last part of its address: `v1`. */
  name: string
  /** The document for a Carnet whose terms begin with `nsUrl` and `#`. */
  textFor: (nsUrl: string) => string
}

const FOLDER = new URL('../../../assets/contexts/', import.meta.url)
/** Stands in the files for the address of the namespace, which each Carnet has its own of. */
export const NAMESPACE_PLACEHOLDER = '{namespace}'

/** In the order of their numbers. */
export function readContextVersions(): ContextVersion[] {
  return readdirSync(FOLDER)
    .flatMap(file => /^v(\d+)\.json$/.exec(file)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
    .map(number => {
      const text = readFileSync(new URL(`v${number}.json`, FOLDER), 'utf8')
      return { name: `v${number}`, textFor: nsUrl => text.replaceAll(NAMESPACE_PLACEHOLDER, nsUrl) }
    })
}

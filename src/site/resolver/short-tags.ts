/** Language tags as GS1's schema of link sets allows them. */

/** GS1's schema allows only `ll` and `ll-CC`: `zh-Hant` becomes `zh`; three-letter languages are left out. */
export function shortenTags(tags: readonly string[]): string[] {
  const short = tags.map(tag => (/^[a-z]{2}-[A-Z]{2}$/.test(tag) ? tag : (tag.split('-', 1)[0] ?? '')))
  return [...new Set(short.filter(tag => /^[a-z]{2}(?:-[A-Z]{2})?$/.test(tag)))]
}

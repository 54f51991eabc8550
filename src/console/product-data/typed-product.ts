/** Reads the product that somebody typed or pasted. */

/** The id in a passport's address, or the id itself; undefined for every product. */
export function parseTypedProduct(typed: string): string | undefined {
  if (typed === '') return undefined
  return (typed.split(/[?#]/, 1)[0] ?? '').replace(/\/+$/, '').split('/').at(-1)
}

/** One product of each bundled category, as the request that creates it. */
import battery from '../../categories/battery.json' with { type: 'json' }
import furniture from '../../categories/furniture.json' with { type: 'json' }
import textile from '../../categories/textile.json' with { type: 'json' }
import { assert } from '../kernel/errors/errors.ts'

/** The first example of a file, typed by its data. */
function toRequest<T>(category: string, examples: readonly { title: { en: string }; data: T }[]) {
  const [first] = examples
  assert(first, 'every category has an example')
  return { summary: first.title.en, value: { category, data: first.data } }
}

/** In the order of the API's documentation. */
export const CATEGORY_EXAMPLES = {
  furniture: toRequest('furniture', furniture.examples),
  battery: toRequest('battery', battery.examples),
  textile: toRequest('textile', textile.examples),
}

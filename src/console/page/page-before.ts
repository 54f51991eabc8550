/** The page that a person came from, if it is one of ours. */
import { ownPath } from './route.ts'

/** Names the stored answer that a page shows instead of itself: see `kept-answer.ts`. */
export const ANSWER = 'answer'

/** Without the answer that it showed. The console's home for others. */
export function pageBefore(referer: string | undefined): string {
  if (referer === undefined || !URL.canParse(referer)) return ownPath(null)
  const { pathname, search } = new URL(referer)
  return withoutAnswer(ownPath(pathname + search))
}

/** The address of a page itself. `path` is a path of the console with its query. */
export function withoutAnswer(path: string): string {
  const [pathname = '', search = ''] = path.split('?', 2)
  const query = new URLSearchParams(search)
  if (!query.has(ANSWER)) return path
  query.delete(ANSWER)
  return query.size === 0 ? pathname : `${pathname}?${query}`
}

/**
 * A new secret on its way to the one page that shows it: in a cookie for that page alone, which takes it away again. So
 * reloading shows nothing twice and makes nothing twice, and no server remembers a secret.
 */

export type Shown = { id: string; secret: string }

/** `pattern` matches `id.secret`, each of them a group. */
export function shownOnce({ name, path, pattern }: { name: string; path: string; pattern: string }) {
  const found = new RegExp(`(?:^|;)\\s*${name}=${pattern}\\s*(?:;|$)`)
  return {
    /** The `Set-Cookie` line; null takes it away. Without Max-Age: a browser keeps it in memory. */
    line(publicUrl: string, shown: Shown | null): string {
      const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
      const value = shown === null ? '' : `${shown.id}.${shown.secret}`
      const end = shown === null ? '; Max-Age=0' : ''
      return `${name}=${value}; Path=${path}; HttpOnly; SameSite=Strict${end}${secure}`
    },
    /** What a `Cookie` header holds of it. */
    find(header: string | undefined): Shown | undefined {
      const [, id, secret] = found.exec(header ?? '') ?? []
      return id === undefined || secret === undefined ? undefined : { id, secret }
    },
  }
}

/** Splits an SQL file into its statements. */

/** Comments, quoted texts and names, bodies in dollar quotes, words, and then single characters. */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|\w[\w$]*|\s+|./g

/**
 * The statements without their semicolons. `start`: where each begins in the file, after its comments. Bodies
 * of functions in `begin atomic` and comments within comments are not understood.
 */
export function splitStatements(file: string): { text: string; start: number }[] {
  const statements: { text: string; start: number }[] = []
  let start: number | undefined
  const endAt = (end: number) => {
    if (start !== undefined) statements.push({ text: file.slice(start, end), start })
    start = undefined
  }
  for (const { 0: token, index } of file.matchAll(TOKEN)) {
    if (token === ';') endAt(index)
    else if (!/^(\s|--|\/\*)/.test(token)) start ??= index
  }
  endAt(file.length)
  return statements
}

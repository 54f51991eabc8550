/** Comments, line ends, the spaces round punctuation and the 0 before a point; a string with those in it must not stand in the sheet. */
export const compactCss = (css: string): string =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/(?<![\w.])0\./g, '.')
    .replaceAll(';}', '}')
    .trim()

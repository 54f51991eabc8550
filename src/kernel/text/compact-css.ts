/**
 * Removes comments, line ends, spaces around punctuation and a 0 before a point. No string in the CSS may
 * contain them.
 */
export const compactCss = (css: string): string =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/(?<![\w.])0\./g, '.')
    .replaceAll(';}', '}')
    .trim()

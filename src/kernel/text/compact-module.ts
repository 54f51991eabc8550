/** Texts, which stay as they are, or an operator between spaces. */
const TEXT_OR_OPERATOR =
  /('(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)| (=>|===|!==|=|&&|\|\||\?\?|\?\?=|<|\?|:|\+=) /g

/**
 * Removes comments that fill a line, blank lines, indentation, and spaces around operators. No text in the
 * module may span lines, and no regular expression may contain a quotation mark.
 */
export const compactModule = (code: string): string =>
  code
    .replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('//'))
    .join('\n')
    .replace(TEXT_OR_OPERATOR, (_all, text?: string, operator?: string) => text ?? operator ?? '')
    .replace(/([{(,])\n/g, '$1')
    .replace(/\n(?=[})])/g, '')

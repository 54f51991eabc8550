/**
 * Element paths: singular queries of RFC 9535 over the compressed form, such as `$.repair.repairable` or
 * `$['repair']['instructions'][0]['value']`. `$` is the document; a negative index counts from the end.
 */
import { asObject, type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { compressElement, findChildElements } from './compress.ts'
import { CONTEXT_MEMBER, ELEMENT_MEMBER, HEADER_MEMBER, OBJECT_TYPE, PROOF_MEMBER } from './names.ts'

/**
 * `malformed`: the path is no query, or has a selector that is not supported; `plural`: it may select several
 * values. `message`: a sentence for users.
 */
export type ElementResult =
  | { kind: 'found'; value: unknown }
  | { kind: 'malformed' | 'plural' | 'missing'; message: string }

/** Names and indexes. A negative index counts from the end of a list. */
export type ElementSteps = readonly (string | number)[]

/** The value in the compressed form. */
export function readElement(document: DataObject, path: string): ElementResult {
  const parsed = parseElementPath(path)
  if ('kind' in parsed) return parsed
  const isHidden = parsed.steps[0] === PROOF_MEMBER || parsed.steps[0] === CONTEXT_MEMBER
  return toResult(isHidden ? undefined : readSteps(document, parsed.steps))
}

/**
 * The data element in the full form, by its path in the compressed form. What is no element of its own is the
 * bare value: members of the header, of texts and of related resources.
 */
export function readFullElement(document: DataObject, path: string): ElementResult {
  const parsed = parseElementPath(path)
  if ('kind' in parsed) return parsed
  const [first] = parsed.steps
  if (first === undefined || HEADER_NAMES.has(first)) return toResult(readSteps(document, parsed.steps))
  return toResult(typeof first === 'string' ? readChild(document, parsed.steps) : undefined)
}

const HEADER_NAMES: ReadonlySet<unknown> = new Set(Object.values(HEADER_MEMBER))

const toResult = (value: unknown): ElementResult =>
  value === undefined
    ? { kind: 'missing', message: 'The document has no such element.' }
    : { kind: 'found', value }

function readSteps(value: unknown, steps: ElementSteps): unknown {
  let found = value
  for (const step of steps) {
    if (typeof step === 'number') found = Array.isArray(found) ? found.at(step) : undefined
    else found = isObject(found) ? getOwn(found, step) : undefined
  }
  return found
}

/** `parent` has child elements. */
function readChild(parent: DataObject, [step, ...rest]: ElementSteps): unknown {
  const children = findChildElements(parent) ?? []
  const child =
    typeof step === 'number'
      ? children.at(step)
      : children.find(one => getOwn(asObject(one), ELEMENT_MEMBER.elementId) === step)
  if (!isObject(child) || rest.length === 0) return child
  const isIndex = typeof rest[0] === 'number'
  switch (getOwn(child, ELEMENT_MEMBER.objectType)) {
    case OBJECT_TYPE.collection:
      return isIndex ? undefined : readChild(child, rest)
    case OBJECT_TYPE.multiValued:
      return isIndex ? readChild(child, rest) : undefined
    default:
      return readSteps(compressElement(child), rest)
  }
}

const MAX_PATH_LENGTH = 2048

const SPACE = '[ \\t\\n\\r]*'
/** Anything but a control character, a backslash or the quote; or an escaped character. */
const buildQuoted = (quote: string) =>
  `${quote}((?:[^\\\\${quote}\\u0000-\\u001f]|\\\\(?:[bfnrt/\\\\${quote}]|u[0-9A-Fa-f]{4}))*)${quote}`
const NAME = '[A-Za-z_\\u0080-\\u{10ffff}][0-9A-Za-z_\\u0080-\\u{10ffff}]*'
const SELECTOR = `(?:${buildQuoted("'")}|${buildQuoted('"')}|(0|-?[1-9]\\d*))`

/** One name or index, in dot or bracket notation. */
const SEGMENT = new RegExp(`${SPACE}(?:\\.(${NAME})|\\[${SPACE}${SELECTOR}${SPACE}\\])`, 'uy')

/** A segment that may select several begins: descendants, a wildcard, filter, slice or list of selectors. */
const PLURAL = new RegExp(
  `${SPACE}(?:\\.\\.|\\.\\*|\\[${SPACE}(?:[*?]|(?:-?\\d+)?${SPACE}:|${SELECTOR}${SPACE},))`,
  'uy',
)

/** The steps, none for `$`, or why the path is no singular query. */
export function parseElementPath(
  path: string,
): { steps: ElementSteps } | Exclude<ElementResult, { kind: 'found' }> {
  if (path.length > MAX_PATH_LENGTH) return malformed(`It is longer than ${MAX_PATH_LENGTH} characters.`)
  if (!path.startsWith('$')) return malformed('It does not begin with "$".')
  if (!path.isWellFormed()) return malformed('It has half of a surrogate pair.')
  const steps: (string | number)[] = []
  let end = 1
  while (end < path.length) {
    SEGMENT.lastIndex = PLURAL.lastIndex = end
    const match = SEGMENT.exec(path)
    if (match === null)
      return PLURAL.test(path)
        ? { kind: 'plural', message: 'The path must select one element, by names and indexes alone.' }
        : malformed(`Character ${end + 1} is not the start of a name or an index.`)
    const step = readStep(match)
    if (step === undefined) return malformed(`The name or index at character ${end + 1} is not valid.`)
    steps.push(step)
    end = SEGMENT.lastIndex
  }
  return { steps }
}

const malformed = (reason: string) =>
  ({
    kind: 'malformed',
    message: `The path is not a singular query of RFC 9535, such as $.repair.repairable. ${reason}`,
  }) as const

/** Undefined for an index that is too far from zero, and for a name with half of a surrogate pair. */
function readStep([, shorthand, single, double, index]: RegExpExecArray): string | number | undefined {
  if (shorthand !== undefined) return shorthand
  if (index !== undefined) return Number.isSafeInteger(Number(index)) ? Number(index) : undefined
  const json = double ?? single?.replace(/\\'|"/g, one => (one === '"' ? '\\"' : "'")) ?? ''
  const name: unknown = JSON.parse(`"${json}"`)
  return typeof name === 'string' && name.isWellFormed() ? name : undefined
}

/** Reads JSON that people write, with the line and column of each value, all mistakes and doubled members. */
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { Path } from '../../kernel/errors/errors.ts'

/** From 1, as editors count. */
export type Place = { line: number; column: number }
type Mistake = Place & { message: string }

export type LocatedJson = {
  /** Undefined if there are mistakes. */
  value: unknown
  mistakes: Mistake[]
  /** The place of the value at a path, or of the nearest value around it. */
  findPlace: (path: Path) => Place
}

export function readLocatedJson(text: string): LocatedJson {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  const toPlace = createPlaces(text)
  const mistakes = errors.map(({ error, offset }) => ({
    ...toPlace(offset),
    message: `is no JSON here: ${describeCode(printParseErrorCode(error))}.`,
  }))
  if (root === undefined && mistakes.length === 0)
    mistakes.push({ line: 1, column: 1, message: 'is empty; it needs one JSON object.' })
  for (const { name, offset } of root === undefined ? [] : listDoubled(root))
    mistakes.push({ ...toPlace(offset), message: `has the member ${JSON.stringify(name)} twice.` })
  return {
    value: mistakes.length > 0 ? undefined : JSON.parse(text),
    mistakes,
    findPlace: path => toPlace(findNearest(root, path)?.offset ?? 0),
  }
}

/** `PropertyNameExpected` as words. */
const describeCode = (code: string) => code.replaceAll(/(?<=[a-z])[A-Z]/g, ' $&').toLowerCase()

/** `offset` of the second one. */
function listDoubled(node: Node): { name: string; offset: number }[] {
  const found: { name: string; offset: number }[] = []
  const seen = new Set<string>()
  for (const child of node.children ?? []) {
    if (node.type === 'object') {
      const name = String(child.children?.[0]?.value)
      if (seen.has(name)) found.push({ name, offset: child.offset })
      seen.add(name)
    }
    found.push(...listDoubled(child))
  }
  return found
}

function findNearest(root: Node | undefined, path: Path): Node | undefined {
  if (root === undefined) return undefined
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length))
    // A member is found by its name.
    if (node !== undefined) return node.parent?.type === 'property' ? node.parent : node
  }
  return root
}

function createPlaces(text: string): (offset: number) => Place {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return offset => {
    const line = starts.findLastIndex(start => start <= offset)
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
  }
}

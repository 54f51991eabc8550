/** Renders `docs/conformance.md` from `docs/conformance.json`, and finds the tests that it names. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import data from '../docs/conformance.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '..')
export const PAGE_PATH = join(ROOT, 'docs/conformance.md')

const ANSWERS = ['met', 'partly', 'not', 'not applicable'] as const
type Answer = (typeof ANSWERS)[number]

/** Titles by file. A `…` in a title stands for an inserted value. */
type Tests = Readonly<Record<string, readonly string[]>>

type Criterion = {
  id: string
  /** The requirement, in our words. */
  asks: string
  answer: Answer
  how: string
  tests?: Tests
}

type Standard = { title: string; about: string; criteria: readonly Criterion[] }

/** `status`: `every run` of the tests, `on demand`, or `not run`. */
type Suite = { name: string; judges: string; status: string; result: string; tests?: Tests }

const { standards, suites } = data as unknown as {
  standards: readonly Standard[]
  suites: readonly Suite[]
}

const all = standards.flatMap(({ criteria }) => criteria)

/**
 * Sentences about what is wrong in the data. Empty if all is well. If a test is gone, name another one in
 * `docs/conformance.json`, or change the answer, and run `npm run conformance`.
 */
export function listProblems(): string[] {
  const ids = all.map(({ id }) => id)
  return [
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map(id => `${id} is there twice`),
    ...all
      .filter(({ answer }) => !ANSWERS.includes(answer))
      .map(({ id, answer }) => `${id}: "${answer}" is no answer`),
    ...[...all.map(({ id, tests }) => ({ name: id, tests })), ...suites].flatMap(({ name, tests }) =>
      listMissingTests(tests).map(one => `${name}: ${one}`),
    ),
  ]
}

export function listMissingTests(tests: Tests = {}): string[] {
  return Object.entries(tests).flatMap(([file, titles]) => {
    const found = readTitles(file)
    return found === undefined
      ? [`there is no file ${file}`]
      : titles.filter(title => !found.has(title)).map(title => `${file} has no test "${title}"`)
  })
}

const titlesOf = new Map<string, Set<string>>()

/** The titles of a file's tests and groups; undefined without the file. */
function readTitles(file: string): ReadonlySet<string> | undefined {
  const known = titlesOf.get(file)
  if (known !== undefined) return known
  const titles = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(?:describe|it|test)$/.test(node.expression.getText())) {
      const title = node.arguments[0] === undefined ? undefined : readTitle(node.arguments[0])
      if (title !== undefined) titles.add(title)
    }
    ts.forEachChild(node, visit)
  }
  try {
    visit(ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  titlesOf.set(file, titles)
  return titles
}

function readTitle(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
}

export function renderPage(): string {
  const sections = standards.map(renderStandard).join('\n')
  return `<!-- Generated from conformance.json by \`npm run conformance\`: do not edit. -->
# Conformance

What standards ask, what Carnet answers, and the test that proves it. The texts of the EN standards are sold, and nobody
here has read them: their criteria are as openly known, in our words. Carnet is **built to open readings of EN 18222 and
EN 18223**; nothing here is certified. A criterion without a test says so. In the title of a test, “…” stands for a value.

${renderSummary()}

*met*: as asked · *partly*: what is missing is named · *not*: not there · *not applicable*: Carnet has nothing that the
criterion is about. The tests run with \`npm test\`; those in a browser need Chromium.

${sections}
## Suites of others

${renderTable(
  ['suite', 'judges', 'when', 'result', 'proof'],
  suites.map(({ name, judges, status, result, tests }) => [
    name,
    judges,
    status,
    result,
    status === 'every run' ? renderTests(tests) : '',
  ]),
)}
`
}

function renderSummary(): string {
  const rows = standards.map(({ title, criteria }) => [`[${title}](#${toAnchor(title)})`, ...count(criteria)])
  return renderTable(
    ['', ...ANSWERS, 'proved by a test'],
    [...rows, ['**all**', ...count(all).map(number => `**${number}**`)]],
  )
}

const count = (criteria: readonly Criterion[]): string[] => [
  ...ANSWERS.map(wanted => String(criteria.filter(({ answer }) => answer === wanted).length)),
  `${criteria.filter(isProved).length} of ${criteria.filter(({ answer }) => answer !== 'not applicable').length}`,
]

const isProved = ({ answer, tests = {} }: Criterion) =>
  answer !== 'not applicable' && Object.keys(tests).length > 0

/** As GitHub makes it. */
const toAnchor = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const renderStandard = ({ title, about, criteria }: Standard): string =>
  `## ${title}

${about}

${renderTable(
  ['', 'asks', 'answer', 'how', 'proof'],
  criteria.map(({ id, asks, answer, how, tests }) => [
    id,
    asks,
    `**${answer}**`,
    how,
    answer === 'not applicable' ? '' : renderTests(tests),
  ]),
)}
`

function renderTests(tests: Tests = {}): string {
  const files = Object.entries(tests).map(([file, titles]) => {
    const name = file.slice('test/'.length).replace('.test.ts', '')
    return `[${name}](../${file}): ${titles.map(title => `“${escapeMarkdown(title)}”`).join(', ')}`
  })
  return files.length === 0 ? 'not proved by a test' : files.join('; ')
}

const escapeMarkdown = (text: string) => text.replace(/[\\`*_{}<>|[\]]/g, character => `\\${character}`)

const renderTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')

/** Writes `docs/conformance.md` from `docs/conformance.json`. */
import { writeFileSync } from 'node:fs'
import { listProblems, PAGE_PATH, renderPage } from '../test/conformance-page.ts'

const problems = listProblems()
for (const problem of problems) console.error(problem)
if (problems.length === 0) writeFileSync(PAGE_PATH, renderPage())
process.exitCode = problems.length === 0 ? 0 : 1

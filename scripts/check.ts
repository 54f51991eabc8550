/**
 * `npm run check`: checks format, lint, types, architecture rules, texts and the paths in the documentation.
 * Needs no database.
 */
import { spawn } from 'node:child_process'
import { listMissingLabels } from '../src/i18n/catalogue.ts'
import { writeClientTypes } from '../test/api/client/make-types.ts'

const NODE = process.execPath
const CHECKS: readonly [string, string, readonly string[]][] = [
  ['format and lint', 'node_modules/.bin/biome', ['check', '--error-on-warnings', '.']],
  [
    'types',
    'node_modules/typescript-native/bin/tsc',
    // Incremental: a check after a small change takes a quarter of the first one's processor time.
    ['--noEmit', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo'],
  ],
  ['texts of the console', NODE, ['scripts/console-texts.ts', '--check']],
  [
    'house, documents and labels',
    NODE,
    [
      '--test',
      '--test-reporter=dot',
      'test/house.test.ts',
      'test/documents.test.ts',
      'test/i18n/catalogue.test.ts',
      'test/conformance.test.ts',
    ],
  ],
]

function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise(resolve => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', chunk => (output += chunk))
    child.stderr.on('data', chunk => (output += chunk))
    child.on('error', error => resolve({ code: 1, output: error.message }))
    child.on('exit', code => resolve({ code: code ?? 1, output }))
  })
}

const started = performance.now()
await writeClientTypes()
const results = await Promise.all(
  CHECKS.map(async ([name, command, args]) => ({ name, ...(await run(command, args)) })),
)
for (const { name, code, output } of results) {
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`)
  if (code !== 0) console.log(output)
}
const missing = listMissingLabels()
for (const { language, keys } of missing) {
  console.log(
    `note ${language}: ${keys.length} labels missing, shown in English: ${keys.slice(0, 5).join(', ')}`,
  )
}
if (missing.length === 0) console.log('labels: none missing in any language')
const failed = results.filter(result => result.code !== 0).length
console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`)
console.log(`check: ${results.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

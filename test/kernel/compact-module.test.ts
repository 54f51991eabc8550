/** Tests that modules stay what they are when comments and spaces are removed. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Script } from 'node:vm'
import { compactModule } from '../../src/kernel/text/compact-module.ts'

const FOLDER = join(import.meta.dirname, '../../assets/console')

test('comments, indentation and spaces around operators go; texts stay', () => {
  const code = `/** Adds.\n * And more. */\nconst add = (a, b) => {\n  // Why.\n  return a === ' = ' ? \`x => \${b}\` : b && 'it\\'s : ?'\n}\n`
  assert.equal(compactModule(code), `const add=(a, b)=>{return a===' = '?\`x => \${b}\`:b&&'it\\'s : ?'}`)
})

test('every module of the console stays a module, with the same texts', () => {
  const files = globSync('*.js', { cwd: FOLDER })
  assert.ok(files.length >= 7)
  for (const file of files) {
    const code = readFileSync(join(FOLDER, file), 'utf8')
    const compact = compactModule(code)
    const listTexts = (of: string) =>
      of.replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g)
    assert.deepEqual(listTexts(compact), listTexts(code), file)
    assert.ok(compact.length < code.length, file)
    // Throws a SyntaxError with the line. The modules import nothing; some wait at the top.
    assert.ok(new Script(`(async () => {${compact}\n})`, { filename: file }))
  }
})

/** Tests the command line before it opens anything: help, wrong usage, rejected settings. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UsageError } from '../../src/cli/command-line/command.ts'
import { parseQuota } from '../../src/cli/commands/accounts.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { runCommandLine } from '../../src/cli/run.ts'

async function run(line: string, env = {}) {
  const io = { stdout: '', stderr: '' }
  const code = await runCommandLine(line === '' ? [] : line.split(' '), env, {
    out: text => {
      io.stdout += text
    },
    err: text => {
      io.stderr += text
    },
  })
  return { code, ...io }
}

describe('--help', () => {
  for (const name of Object.keys(COMMANDS)) {
    test(`carnet ${name} --help`, async () => {
      const { code, stdout, stderr } = await run(`${name} --help`)
      assert.equal(code, 0)
      assert.equal(stderr, '')
      assert.ok(stdout.startsWith(`carnet ${name}`), stdout)
      assert.match(stdout, /--json {2}/)
    })
  }

  test('carnet --help lists every command', async () => {
    const { code, stdout } = await run('--help')
    assert.equal(code, 0)
    for (const name of Object.keys(COMMANDS)) assert.ok(stdout.includes(`carnet ${name} `), name)
  })

  test('a command group lists its subcommands', async () => {
    const { code, stdout } = await run('keys --help')
    assert.equal(code, 0)
    assert.match(stdout, /carnet keys revoke/)
    assert.doesNotMatch(stdout, /carnet serve/)
  })

  test('--version', async () => {
    assert.match((await run('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
  })
})

describe('exit code 2: wrong usage', () => {
  for (const [line, said] of [
    ['', /Usage: carnet/],
    ['fly', /no command "fly"/],
    ['keys', /keys what\?/],
    ['keys fly', /no command "keys fly"/],
    ['serve --fly', /Unknown option '--fly'/],
    ['serve now', /Unexpected argument "now"/],
    ['accounts create', /--name is missing/],
    ['accounts create --name', /--name <value>/],
    ['accounts create --name A --plan', /--plan <value>/],
    ['accounts create --name A', /--plan is missing/],
    ['accounts set-plan --plan pro', /ID is missing/],
    ['accounts set-plan 1 --plan pro --quota model=x', /--quota is "model=x"/],
    ['keys create --account 1 --scope write', /--scope must be one of full, read/],
    ['keys create --account 1 --scope full --expires soon', /--expires is "soon"/],
    ['keys revoke', /ID is missing/],
    ['keys rotate', /ID is missing/],
    ['keys rotate x --overlap soon', /--overlap is "soon": it must be a span such as 7d/],
    ['keys rotate x --overlap 366d', /--overlap is "366d"/],
    ['accounts set-plan 1 --plan pro --requests-per-minute 0', /--requests-per-minute is "0"/],
    ['accounts set-plan 1 --plan pro --requests-per-minute many', /--requests-per-minute is "many"/],
    ['access-links create --account 1 --audience public --label L --expires 7d', /--audience must be one of/],
    ['access-links create --account 1 --audience authority --label L', /--expires is missing/],
    ['users create --account 1 --email a@b.example --role boss', /--role must be one of/],
    ['gtin release', /GTIN is missing/],
    ['accounts create --name A --name B --plan pro', /--name is given twice/],
    ['doctor --verify --verify', /--verify is given twice/],
    ['demo --port 99999', /--port/],
  ] as const) {
    test(`carnet ${line}`, async () => {
      const { code, stdout, stderr } = await run(line)
      assert.equal(code, 2)
      assert.equal(stdout, '')
      assert.match(stderr, said)
      assert.match(stderr, /Usage: carnet/)
    })
  }
})

describe('exit code 1: a refused command', () => {
  test('reports all wrong settings at once', async () => {
    const { code, stdout, stderr } = await run('accounts list', {
      PORT: 'x',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'postgres://localhost/none',
    })
    assert.equal(code, 1)
    assert.equal(stdout, '')
    for (const name of ['PORT', 'LOG_LEVEL', 'SECRET_KEY']) assert.match(stderr, new RegExp(`^${name} `, 'm'))
  })

  test('doctor reports wrong settings as a failed check', async () => {
    const { code, stdout } = await run('doctor --json', { PORT: 'x' })
    assert.equal(code, 1)
    assert.deepEqual(
      (JSON.parse(stdout) as { name: string; ok: boolean }[]).map(({ name, ok }) => [name, ok]),
      [['settings', false]],
    )
  })

  test('an account id that does not exist', async () => {
    const { code, stderr } = await run('keys list --account twelve')
    assert.equal(code, 1)
    assert.match(stderr, /no account "twelve"/)
  })

  test('a database that does not answer', async () => {
    const { code, stderr } = await run('accounts list', {
      DATABASE_URL: 'postgres://someone:verysecret@127.0.0.1:9/none',
      SECRET_KEY: 'a key of tests, long enough to be one',
    })
    assert.equal(code, 1)
    assert.match(stderr, /127\.0\.0\.1:9/)
    assert.doesNotMatch(stderr, /verysecret|\n\s+at /)
  })
})

describe('parseQuota', () => {
  test('reads levels in any order', () => {
    assert.deepEqual(parseQuota('item=3, model=0'), { item: 3, model: 0 })
    assert.deepEqual(parseQuota(undefined), {})
  })
  for (const text of [
    'model',
    'model=',
    'model=-1',
    'model=1,model=2',
    'unit=3',
    'model=1.5',
    '',
    'model=1;item=2',
  ]) {
    test(`refuses "${text}"`, () => {
      assert.throws(() => parseQuota(text), UsageError)
    })
  }
})

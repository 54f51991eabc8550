/** Tests which passwords are accepted, and that hashes contain their parameters. */
import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isCommonPassword } from '../../src/accounts/people/common-passwords.ts'
import { parseEmail } from '../../src/accounts/people/email.ts'
import {
  findPasswordProblem,
  hashPassword,
  isOutdatedHash,
  verifyPassword,
} from '../../src/accounts/people/password.ts'
import { getNetwork } from '../../src/kernel/http/network.ts'

const EMAIL = 'anna@testmarke.example'

describe('findPasswordProblem', () => {
  const cases: [string, string | undefined][] = [
    ['', 'short'],
    ['elevenchars', 'short'],
    ['twelve chars', undefined],
    ['ä'.repeat(11), 'short'],
    ['🦩🦢🦆🦉🦅🦜🐧🐦🐤🐣🦃🦚', undefined],
    [`${'heron lake '.repeat(11)}herons!`, undefined],
    [`${'heron lake '.repeat(12)}`, 'long'],
    ['aaaaaaaaaaaa', 'common'],
    ['123456789012', 'common'],
    ['Password1234', 'common'],
    ['passwordpassword', 'common'],
    ['Qwertyuiop123!', 'common'],
    ['iloveyouprincess', 'common'],
    ['correct horse battery staple', undefined],
    ['Unbelievable', 'common'],
    ['1qaz2wsx3edc4rfv', 'common'],
    ['polniypizdec0211', 'common'],
    ['unbelievable herons', undefined],
    [EMAIL.toUpperCase(), 'email'],
    [`${EMAIL}12`, 'email'],
  ]
  for (const [password, problem] of cases) {
    test(`${JSON.stringify(password.slice(0, 40))}: ${problem ?? 'accepted'}`, () => {
      assert.equal(findPasswordProblem(password, EMAIL), problem)
    })
  }

  test('the list of breached passwords is sorted, unique, and larger than ASVS 5.0 6.2.4 requires', () => {
    const list = readFileSync(new URL('../../assets/common-passwords.bin', import.meta.url))
    const hashes = Array.from({ length: list.length / 5 }, (_, i) => list.toString('hex', i * 5, i * 5 + 5))
    assert.ok(hashes.length >= 3_000)
    assert.deepEqual(hashes, [...new Set(hashes)].sort())
  })

  test('finishes quickly even if a password can be split into words in many ways', () => {
    const pieces = fc.string({
      minLength: 60,
      maxLength: 128,
      unit: fc.constantFrom('1', '11', '111', 'pass', 'x'),
    })
    fc.assert(fc.property(pieces, text => typeof isCommonPassword(`${text}!`) === 'boolean'))
  })
})

describe('hashPassword and verifyPassword', () => {
  test('accepts the right password, and rejects a wrong one and a missing hash', async () => {
    const hash = await hashPassword('eleven herons over the lake')
    assert.equal(await verifyPassword('eleven herons over the lake', hash), true)
    assert.equal(await verifyPassword('eleven herons over the lakE', hash), false)
    assert.equal(await verifyPassword('eleven herons over the lake', undefined), false)
    assert.notEqual(await hashPassword('eleven herons over the lake'), hash)
    assert.equal(isOutdatedHash(hash), false)
  })

  test('composed and decomposed forms of a letter are the same password', async () => {
    const hash = await hashPassword('größere Kräne überm See'.normalize('NFC'))
    assert.equal(await verifyPassword('größere Kräne überm See'.normalize('NFD'), hash), true)
  })

  test('verifies a hash with other parameters and reports it as outdated', async () => {
    const nonce = Buffer.alloc(16, 7)
    const digest = argon2Sync('argon2id', {
      message: 'an older password',
      nonce,
      parallelism: 1,
      tagLength: 32,
      memory: 64,
      passes: 1,
    })
    const bare = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
    const encoded = `$argon2id$v=19$m=64,t=1,p=1$${bare(nonce)}$${bare(digest)}`
    assert.equal(await verifyPassword('an older password', encoded), true)
    assert.equal(isOutdatedHash(encoded), true)
  })

  test('rejects attempts beyond the queue limit and completes those it accepted', async () => {
    const all = await Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword('x', undefined)))
    const refused = all.filter(one => one.status === 'rejected')
    assert.equal(refused.length, 18)
    assert.equal(await verifyPassword('x', undefined), false)
  })
})

test('parseEmail returns one normalized spelling, or undefined', () => {
  assert.equal(parseEmail(' Anna.B+x@Testmarke.Example '), 'anna.b+x@testmarke.example')
  for (const text of ['', '@', 'a@', '@b', 'a@-b.example', 'a@b..example', 'a\n@b.example', 'ä@b.example']) {
    assert.equal(parseEmail(text), undefined, text)
  }
})

test('getNetwork returns the IPv4 address or the IPv6 /64', () => {
  assert.equal(getNetwork('192.0.2.7'), '192.0.2.7')
  assert.equal(getNetwork('::ffff:192.0.2.7'), '192.0.2.7')
  assert.equal(getNetwork('2001:db8:0:5:1:2:3:4'), getNetwork('2001:db8:0:5::9'))
  assert.equal(getNetwork('2001:0db8:0000:0005::'), '2001:db8:0:5')
  assert.notEqual(getNetwork('2001:db8:0:5::1'), getNetwork('2001:db8:0:6::1'))
  assert.equal(getNetwork('fe80::1%eth0'), 'fe80:0:0:0')
  assert.equal(getNetwork('::1'), '0:0:0:0')
})

/** Tests `/.well-known/security.txt`: the contact for vulnerabilities, if the operator has set one. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createApp } from '../../src/cli/server/app.ts'
import { readConfig } from '../../src/kernel/config/config.ts'
import { type Harness, startHarness } from '../harness.ts'
import { problemsOf } from '../kernel/problems-of.ts'

const PATH = '/.well-known/security.txt'
let t: Harness
let app: ReturnType<typeof createApp>

before(async () => {
  t = await startHarness()
  app = createApp({
    ...t.setup,
    addresses: { ...t.setup.addresses, publicUrl: 'https://passports.example/some/path' },
    securityContact: 'mailto:security@passports.example',
    clock: { now: () => new Date('2026-11-23T04:15:00Z') },
  })
  await app.ready()
})
after(async () => {
  await app.close()
  await t.close()
})

describe('GET /.well-known/security.txt', () => {
  test('has the contact, an expiry within a year and its own URL', async () => {
    const answer = await app.inject({ method: 'GET', url: PATH })
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
    assert.equal(answer.headers['cache-control'], 'public, max-age=3600')
    assert.equal(
      answer.body,
      'Contact: mailto:security@passports.example\n' +
        'Expires: 2027-05-22T00:00:00.000Z\n' +
        'Canonical: https://passports.example/.well-known/security.txt\n',
    )
  })

  test('answers HEAD without a body, and no other method', async () => {
    const head = await app.inject({ method: 'HEAD', url: PATH })
    assert.deepEqual([head.statusCode, head.body], [200, ''])
    assert.equal((await app.inject({ method: 'POST', url: PATH })).statusCode, 404)
  })

  test('is 404 without SECURITY_CONTACT', async () => {
    assert.equal((await t.ask('GET', PATH)).status, 404)
  })
})

describe('OPERATOR_EMAIL', () => {
  test('is one address', () => {
    assert.equal(readConfig({}).operatorEmail, undefined)
    assert.equal(readConfig({ OPERATOR_EMAIL: 'me@mail.example' }).operatorEmail, 'me@mail.example')
    for (const value of ['me', 'a@mail.example, b@mail.example', 'Me <me@mail.example>', 'a@b\nBcc: c@d'])
      assert.match(problemsOf({ OPERATOR_EMAIL: value })[0] ?? '', /^OPERATOR_EMAIL is ".*": it must be /s)
  })
})

describe('SECURITY_CONTACT', () => {
  test('is a mailto, https or tel address', () => {
    assert.equal(readConfig({}).securityContact, undefined)
    for (const contact of [
      'mailto:security@passports.example',
      'https://passports.example/security',
      'tel:+49-30-12345',
    ]) {
      assert.equal(readConfig({ SECURITY_CONTACT: contact }).securityContact, contact)
    }
  })

  test('any other value prevents the start, such as plain http or a second line', () => {
    for (const contact of [
      'security@passports.example',
      'http://passports.example/security',
      'mailto:security@passports.example\nContact: mailto:other@x.example',
      'mailto:nobody',
      'tel:',
    ]) {
      const [problem, ...more] = problemsOf({ SECURITY_CONTACT: contact })
      assert.match(problem ?? '', /^SECURITY_CONTACT is ".*": it must be .*mailto:/s)
      assert.deepEqual(more, [])
    }
  })
})

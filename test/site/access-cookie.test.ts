import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { COOKIE_NAME, createAccessCookies } from '../../src/site/passport/access-cookie.ts'

const cookies = createAccessCookies('a secret key of the operator, long enough', 'http://localhost:3000')
const now = new Date('2026-11-21T10:00:00Z')
const later = new Date('2026-11-21T11:00:00Z')
const TOKEN = 'dpa_0123456789abcdefghijklmnopqrstuvwxyzABCDEF'

describe('an access cookie', () => {
  const value = cookies.encryptToken('passport-a', TOKEN, later)
  const header = `other=1; ${COOKIE_NAME}=${value}; more=2`

  test('returns the token for its passport until it expires', () => {
    assert.equal(cookies.findToken(header, 'passport-a', now), TOKEN)
    assert.equal(cookies.findToken(header, 'passport-b', now), undefined)
    assert.equal(cookies.findToken(header, 'passport-a', later), undefined)
  })

  test('hides the token, and differs each time', () => {
    assert.ok(!Buffer.from(value, 'base64url').includes(TOKEN))
    assert.notEqual(cookies.encryptToken('passport-a', TOKEN, later), value)
  })

  test('is invalid with another key, truncated, or with any byte changed', () => {
    const other = createAccessCookies('another secret key of another operator', 'http://localhost:3000')
    assert.equal(other.findToken(header, 'passport-a', now), undefined)
    const bytes = Buffer.from(value, 'base64url')
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i] = (changed[i] ?? 0) ^ 1
      const forged = `${COOKIE_NAME}=${changed.toString('base64url')}`
      assert.equal(cookies.findToken(forged, 'passport-a', now), undefined)
    }
    for (const cut of ['', 'A', value.slice(0, 30), 'é', '=']) {
      assert.equal(cookies.findToken(`${COOKIE_NAME}=${cut}`, 'passport-a', now), undefined)
    }
  })

  test('is not found in a cookie of a similar name', () => {
    assert.equal(cookies.findToken(`x${COOKIE_NAME}=${value}`, 'passport-a', now), undefined)
  })
})

/** Status lists in both forms. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import {
  buildStatusEntry,
  buildStatusListCredential,
  buildTokenStatusList,
  createStatusBits,
  decodeStatusBits,
  decodeTokenStatusBits,
  encodeStatusBits,
  findListBits,
  isRevoked,
  STATUS_LIST_LENGTH,
  setRevoked,
} from '../../../src/standards/signing/status-list.ts'
import { readExample, TEST_DID } from '../signing-examples.ts'

type StatusExample = { credential: Record<string, unknown> & { credentialSubject: { encodedList: string } } }
const { credential } = readExample<StatusExample>('status-list-example')
const LIST = {
  url: 'https://passports.example.org/issuers/k7m2q9x4t6v8/status/1',
  did: TEST_DID,
  validFrom: new Date('2026-11-20T00:00:00Z'),
  validUntil: new Date('2026-11-27T00:00:00Z'),
}

const withRevoked = (...indexes: number[]) => {
  const bits = createStatusBits()
  for (const index of indexes) setRevoked(bits, index, true)
  return bits
}
const listRevoked = (bits: Uint8Array) =>
  Array.from({ length: STATUS_LIST_LENGTH }, (_, i) => i).filter(i => isRevoked(bits, i))

describe('a bitstring status list', () => {
  test('is read from the example', () => {
    assert.deepEqual(listRevoked(decodeStatusBits(credential.credentialSubject.encodedList)), [500])
  })

  test('says of which purpose it is, and is none if it is of another purpose or type', () => {
    const { credentialSubject: subject } = credential
    for (const purpose of ['revocation', 'message']) {
      const found = findListBits({ ...subject, statusPurpose: purpose })
      assert.ok(found !== undefined && isRevoked(found.bits, 500))
      assert.equal(found.purpose, purpose)
    }
    for (const other of ['suspension', 'refresh', undefined, ['revocation'], ['message']])
      assert.ok(findListBits({ ...subject, statusPurpose: other }) === undefined, String(other))
    assert.ok(findListBits({ ...subject, type: 'StatusList2021' }) === undefined)
  })

  test('is the credential of the example', () => {
    const { proof: _, ...expected } = credential
    const built = buildStatusListCredential({ ...LIST, bits: withRevoked(500) })
    const { encodedList } = built.credentialSubject
    assert.deepEqual(listRevoked(decodeStatusBits(encodedList)), [500])
    const { credentialSubject } = credential
    assert.deepEqual(
      {
        ...built,
        credentialSubject: { ...built.credentialSubject, encodedList: credentialSubject.encodedList },
      },
      expected,
    )
  })

  test('sets and clears one bit, the first being the most significant', () => {
    const bits = withRevoked(0, 9, STATUS_LIST_LENGTH - 1)
    assert.deepEqual([bits[0], bits[1], bits.at(-1)], [0x80, 0x40, 1])
    setRevoked(bits, 9, false)
    setRevoked(bits, 10, false)
    assert.deepEqual(listRevoked(decodeStatusBits(encodeStatusBits(bits))), [0, STATUS_LIST_LENGTH - 1])
  })

  test('has bounds', () => {
    const bits = createStatusBits()
    for (const index of [-1, STATUS_LIST_LENGTH, 0.5, Number.NaN]) {
      assert.throws(() => isRevoked(bits, index), RangeError)
      assert.throws(() => setRevoked(bits, index, true), RangeError)
    }
  })

  test('is refused in another length or encoding', () => {
    const encode = (size: number) => `u${gzipSync(Buffer.alloc(size)).toString('base64url')}`
    assert.equal(decodeStatusBits(encode(16_384)).length, 16_384)
    for (const text of [
      encode(16_383),
      encode(16_385),
      encode(1e7),
      encode(16_384).slice(1),
      'uAAAA',
      'u',
      '',
    ])
      assert.throws(() => decodeStatusBits(text), /status list|base64url/, text.slice(0, 40))
  })
})

test('a list that unpacks to far too much is not unpacked', () => {
  const zeros = Buffer.alloc(16_000_000)
  const [bomb, deflated] = [gzipSync(zeros, { level: 1 }), deflateSync(zeros, { level: 1 })]
  const measureCpu = (work: () => unknown) => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const unpack = () => gunzipSync(bomb)
  const decode = () => {
    assert.throws(() => decodeStatusBits(`u${bomb.toString('base64url')}`), /status list/)
    const list = { bits: 1, lst: deflated.toString('base64url') }
    assert.throws(() => decodeTokenStatusBits(list), /status list/)
  }
  // The least of several, in turns: other files share the process, and its collections of garbage count.
  const times = Array.from({ length: 5 }, () => [measureCpu(unpack), measureCpu(decode)] as const)
  const unpacking = Math.min(...times.map(([ofUnpack]) => ofUnpack))
  const decoding = Math.min(...times.map(([, ofDecode]) => ofDecode))
  assert.ok(decoding < unpacking / 4, `${decoding} µs, and ${unpacking} µs to unpack one`)
})

describe('an entry', () => {
  test('is a number for UNTP and a text for others', () => {
    const { credentialStatus } = readExample<{ credentialStatus: object }>('untp-dpp-textile-item')
    assert.deepEqual(buildStatusEntry(LIST.url, 93417), credentialStatus)
    assert.equal(buildStatusEntry(LIST.url, '93417').statusListIndex, '93417')
  })
})

describe('a token status list', () => {
  test('has the same bits, the first being the least significant', () => {
    const url = `${LIST.url}/token`
    const claims = buildTokenStatusList({ ...LIST, url, bits: withRevoked(0, 9, 500) }, 300)
    const { status_list, ...others } = claims as { status_list: { bits: number; lst: string } }
    assert.deepEqual(others, { iss: TEST_DID, sub: url, iat: 1_795_132_800, exp: 1_795_737_600, ttl: 300 })
    assert.equal(status_list.bits, 1)
    const bytes = inflateSync(Buffer.from(status_list.lst, 'base64url'))
    assert.deepEqual([bytes.length, bytes[0], bytes[1], bytes[62]], [16_384, 1, 2, 0x10])
  })

  test('is refused with more than one bit each, or in another length', () => {
    const lst = (size: number) => deflateSync(Buffer.alloc(size)).toString('base64url')
    assert.equal(decodeTokenStatusBits({ bits: 1, lst: lst(16_384) }).length, 16_384)
    for (const list of [
      { bits: 2, lst: lst(16_384) },
      { lst: lst(16_384) },
      { bits: '1', lst: lst(16_384) },
      { bits: 1, lst: lst(16_383) },
      { bits: 1, lst: lst(16_385) },
      { bits: 1 },
      null,
    ])
      assert.throws(() => decodeTokenStatusBits(list), /status list/i, JSON.stringify(list)?.slice(0, 60))
  })
})

/** Tests the headers of errors: a client must know when to try again. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError, notFound, unavailable } from '../../src/kernel/errors/errors.ts'
import { errorHeaders, HttpError } from '../../src/kernel/http/http-error.ts'

describe('errorHeaders', () => {
  test('no unavailable answer goes without Retry-After', () => {
    assert.deepEqual(errorHeaders(unavailable('Gone.')), { 'retry-after': '2' })
    assert.deepEqual(errorHeaders(new HttpError('unavailable', 'Gone.', { allow: 'GET' })), {
      'retry-after': '2',
      allow: 'GET',
    })
    assert.deepEqual(errorHeaders(new AppError('unavailable', 'Gone.', undefined, 0)), { 'retry-after': '1' })
  })

  test('an error keeps its own time, and others than 503 get none', () => {
    assert.deepEqual(errorHeaders(new AppError('unavailable', 'Busy.', undefined, 4_200)), {
      'retry-after': '5',
    })
    assert.deepEqual(errorHeaders(notFound('passport')), {})
  })
})

/** Tests that an outage of the database does not fill the log. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { logUnansweredRequest } from '../../src/api/door/log-outages.ts'

test('the first request of an outage has a line, the others are counted', context => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const lines: { requests?: number; request_id: string }[] = []
  const log = pino({ level: 'info' }, { write: line => lines.push(JSON.parse(line)) })
  for (let n = 1; n <= 1000; n++) logUnansweredRequest(log, `request ${n}`, 'ECONNREFUSED')
  assert.deepEqual([lines.length, lines[0]?.request_id], [1, 'request 1'])
  context.mock.timers.tick(10_000)
  assert.deepEqual([lines.length, lines[1]?.requests, lines[1]?.request_id], [2, 999, 'request 1000'])
  context.mock.timers.tick(10_000)
  assert.equal(lines.length, 2)
  logUnansweredRequest(log, 'the next outage', 'ECONNREFUSED')
  assert.deepEqual([lines.length, lines[2]?.request_id], [3, 'the next outage'])
})

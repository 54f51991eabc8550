import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findLanAddress } from '../../src/cli/commands/demo.ts'
import { renderTerminalQr } from '../../src/cli/demo/demo-summary.ts'
import { decodeQr } from '../qr/decode.ts'

/** The drawing's cells as an SVG path, which the decoder rasterises. */
function asSvg(drawing: string): string {
  const rows = drawing.split('\n').flatMap(line => {
    const cells = [...line.matchAll(/38;5;(\d+);48;5;(\d+)m▀/g)]
    return [cells.map(([, upper]) => upper === '16'), cells.map(([, , lower]) => lower === '16')]
  })
  const side = Math.max(rows.length, rows[0]?.length ?? 0)
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
  return `<svg viewBox="0 0 ${side} ${side}"><path fill="#000" d="${path.join('')}"/></svg>`
}

describe('renderTerminalQr', () => {
  for (const text of ['http://192.168.1.23:3000/p/01kakd3hscf3b9ycr0e5q1c7wx', 'http://10.0.0.5:3107/p/x']) {
    test(`draws ${text} so that a decoder reads it`, async () => {
      assert.deepEqual(await decodeQr(asSvg(renderTerminalQr(text))), [text])
    })
  }

  test('fits a terminal of 80 × 24 and resets its colours', () => {
    const lines = renderTerminalQr('http://192.168.178.123:3000/p/01kakd3hscf3b9ycr0e5q1c7wx').split('\n')
    assert.ok(lines.length <= 21, `${lines.length} lines`)
    for (const line of lines) {
      assert.ok([...line.matchAll(/▀/g)].length <= 80)
      assert.ok(line.endsWith('\u001b[0m'))
    }
  })
})

describe('findLanAddress', () => {
  const ipv4 = (address: string, internal = false) => ({ address, family: 'IPv4' as const, internal })

  test('prefers the home network to a container bridge', () => {
    const found = findLanAddress({
      lo: [ipv4('127.0.0.1', true)],
      docker0: [ipv4('172.17.0.1')],
      eth0: [ipv4('10.1.2.3')],
      wlan0: [{ address: 'fe80::1', family: 'IPv6', internal: false }, ipv4('192.168.1.23')],
    })
    assert.equal(found, '192.168.1.23')
  })

  test('returns a bridge if there is nothing else, and undefined without any network', () => {
    assert.equal(findLanAddress({ docker0: [ipv4('172.17.0.1')] }), '172.17.0.1')
    assert.equal(findLanAddress({ lo: [ipv4('127.0.0.1', true)], eth0: [ipv4('169.254.3.4')] }), undefined)
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createCounter,
  createTimeEstimate,
  describeGrowth,
  formatCount,
  formatDuration,
  formatSize,
} from '../../src/cli/command-line/progress.ts'

/** Returns what the counter says at each second of a work that does `speed(second)` passports in it. */
function watch(total: number, speed: (second: number) => number, first = 0): string[] {
  let now = 0
  let done = first
  const describe = createCounter('passports', () => now)
  const said = [describe(done, total)]
  for (let second = 1; done < total; second++) {
    now = second * 1000
    done = Math.min(total, done + speed(second))
    said.push(describe(done, total))
  }
  return said
}

describe('the progress of a long command', () => {
  test('names no time at first, then the time at the speed of the last minute', () => {
    const said = watch(6_000, () => 10)
    assert.equal(said[9], '90 of 6000 passports')
    assert.equal(said[10], '100 of 6000 passports, about 10 min left')
    assert.equal(said[480], '4800 of 6000 passports, about 2 min left')
    assert.equal(said.at(-1), '6000 of 6000 passports')
  })

  test('is right within a tenth a minute after the speed has changed', () => {
    const said = watch(20_000, second => (second < 200 ? 50 : 10))
    const text = said[262] ?? ''
    const [, done, minutes] = /^(\d+) of 20000 passports, about (\d+) min/.exec(text) ?? []
    assert.ok(Math.abs(Number(minutes) * 60 - (20_000 - Number(done)) / 10) < 100, text)
  })

  test('does not count what an earlier run has done', () => {
    assert.equal(watch(6_000, () => 10, 5_000)[20], '5200 of 6000 passports, about 80 s left')
  })

  test('without a total, and while nothing is done, it names no time', () => {
    let now = 0
    const describe = createCounter('passports', () => now)
    for (; now < 60_000; now += 1000) assert.equal(describe(7), '7 passports')
    for (; now < 120_000; now += 1000) assert.equal(describe(7, 9), '7 of 9 passports')
  })

  test('rounds times', () => {
    const said = [1, 14_000, 119_000, 121_000, 60 * 60_000, 130 * 60_000, 3.3 * 3_600_000].map(formatDuration)
    assert.deepEqual(said, ['10 s', '10 s', '120 s', '2 min', '60 min', '2 h', '3.5 h'])
  })

  test('names the time left of a share, as of a number', () => {
    let now = 0
    const estimate = createTimeEstimate(() => now)
    const said: string[] = []
    for (; now <= 60_000; now += 1000) said.push(estimate(now / 600_000, 1))
    assert.deepEqual([said[9], said[60], estimate(0.1, undefined)], ['', ', about 9 min left', ''])
  })

  test('of a folder names what it has, and after 20 passports what it will have', () => {
    const of = (done: number, total?: number) =>
      describeGrowth('Line', { files: done * 30, bytes: done * 600_000 }, { done, total })
    assert.equal(of(19, 2_000), 'Line; 11 MB in 570 files')
    assert.equal(of(20, 2_000), 'Line; 12 MB in 600 files, about 1.2 GB in 60,000 files at the end')
    assert.equal(of(2_000, 2_000), 'Line; 1.2 GB in 60,000 files')
    assert.equal(of(500), 'Line; 300 MB in 15,000 files')
  })

  test('rounds sizes as disks are sold', () => {
    assert.deepEqual([0, 512, 4_200, 64e9, 2.5e15].map(formatSize), [
      '0 B',
      '512 B',
      '4.2 kB',
      '64 GB',
      '2500 TB',
    ])
    assert.equal(formatCount(3_300_000.4), '3,300,000')
  })
})

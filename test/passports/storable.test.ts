import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { writeStorable } from '../../src/passports/write/write-storable.ts'

const failing = (code: string) => Object.assign(new Error('no'), { code })

test('writeStorable writes every row that can be stored and rejects the others, many of them with one statement', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 60 }), async bad => {
      const written: number[] = []
      const refused: number[] = []
      await writeStorable(
        bad.map((isBad, row) => ({ isBad, row })),
        async rows => {
          if (rows.some(one => one.isBad)) throw failing('22P05')
          written.push(...rows.map(one => one.row))
        },
        ({ row }, error) => {
          assert.equal(error.code, 'validation')
          refused.push(row)
        },
      )
      const wanted = (isBad: boolean) => bad.flatMap((one, row) => (one === isBad ? [row] : []))
      assert.deepEqual([written, refused], [wanted(false), wanted(true)])
    }),
  )
})

test('writeStorable throws any other error', async () => {
  const lost = failing('08006')
  await assert.rejects(
    writeStorable(
      [1, 2],
      async () => {
        throw lost
      },
      () => assert.fail(),
    ),
    lost,
  )
})

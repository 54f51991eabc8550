/** Tells whether a number in JSON or in a form can be stored exactly as it was sent. */

/** Returns true if the nearest double prints as the same decimal number. */
export function isExactNumber(literal: string): boolean {
  const value = Number(literal)
  if (!Number.isFinite(value)) return false
  return plainDecimal(literal) === plainDecimal(String(value))
}

/** `-12.50e3` → `-125e2`: sign, digits without outer zeros, power of ten. */
function plainDecimal(literal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (!match) return literal
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  const bare = digits.replace(/0+$/, '')
  if (bare === '') return '0'
  return `${sign}${bare}e${Number(exponent) - fraction.length + (digits.length - bare.length)}`
}

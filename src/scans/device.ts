/** Detects the device from a user agent. An iPad that identifies as a Mac counts as a desktop. */

export const DEVICES = ['mobile', 'tablet', 'desktop', 'other'] as const
export type Device = (typeof DEVICES)[number]

/**
 * Televisions, game consoles, cars, watches, glasses. Tested first, because they also match other patterns.
 */
const OTHER =
  /smart-?tv|\btv\b|appletv|googletv|hbbtv|inettv|dtv|netcast|web0s|bravia|\baft[a-z]|crkey|roku|viera|philipstv|playstation|xbox|nintendo|quest \d|oculus|qtcarbrowser|tesla|(?<!air)watch|wear ?os|sonos/i
const PHONE =
  /iphone|ipod|windows phone|windows ce|iemobile|blackberry|bb10|kaios|opera mini|opera mobi|symbian|series ?[46]0|\bnokia|\bmobile\b|\bmobi\b|midp|maemo|up\.browser|mobilesafari|webos\/|palm|\bfb(?:4a|ios)\b/i
const TABLET = /ipad|tablet(?! pc)|playbook|\bkindle|\bsilk\/|\bkf[a-z]{2,4}\b|\btouchpad\b/i
const ANDROID = /\bandroid\b/i
const BROWSER = /^(?:mozilla|opera)\//i
const DESKTOP = /\bwindows\b|\bwin9|macintosh|mac_powerpc|mac os x|\bcros\b|\bx11\b|cygwin|freebsd|openbsd/i

/** Generic clients (`curl/8.5.0`) name no device and count as `other`. */
export function detectDevice(userAgent: string): Device {
  if (OTHER.test(userAgent)) return 'other'
  if (TABLET.test(userAgent)) return 'tablet'
  if (PHONE.test(userAgent)) return 'mobile'
  const isBrowser = BROWSER.test(userAgent)
  // Browsers on Android send "Mobile" on phones only. Apps never send it, and most of them run on phones.
  if (ANDROID.test(userAgent)) return isBrowser ? 'tablet' : 'mobile'
  if (DESKTOP.test(userAgent)) return 'desktop'
  return isBrowser && /\blinux\b/i.test(userAgent) ? 'desktop' : 'other'
}

/** What a reader holds in the hand, from the words of a user agent; an iPad that calls itself a Mac counts as one. */

export const DEVICES = ['mobile', 'tablet', 'desktop', 'other'] as const
export type Device = (typeof DEVICES)[number]

/** Televisions, game consoles, cars, watches and glasses: they have words of phones and desktops as well. */
const NEITHER =
  /smart-?tv|\btv\b|tv;|appletv|googletv|hbbtv|netcast|web0s|bravia|\baft[a-z]|crkey|roku|viera|philipstv|playstation|xbox|nintendo|quest|oculus|pico\b|qtcarbrowser|tesla|watch|wear ?os/i
const PHONE =
  /iphone|ipod|windows phone|iemobile|blackberry|bb10|kaios|opera mini|opera mobi|symbian|series ?60|\bnokia|\bmobile\b|\bmobi\b|midp|webos\/|palm/i
const TABLET = /ipad|tablet(?! pc)|playbook|\bkindle|\bsilk\/|\bkf[a-z]{2,4}\b|\btouchpad\b/i
const ANDROID = /\bandroid\b/i
const DESKTOP =
  /windows nt|windows 9|macintosh|mac os x|\bcros\b|\bx11\b|linux (?:x86_64|i[3-6]86|aarch64|armv)|freebsd|openbsd/i

/** Generic clients (`curl/8.5.0`) name no device: `other`. */
export function deviceOf(userAgent: string): Device {
  if (NEITHER.test(userAgent)) return 'other'
  if (TABLET.test(userAgent)) return 'tablet'
  if (PHONE.test(userAgent)) return 'mobile'
  // Phones on Android say Mobile; what does not is a tablet.
  if (ANDROID.test(userAgent)) return 'tablet'
  return DESKTOP.test(userAgent) ? 'desktop' : 'other'
}

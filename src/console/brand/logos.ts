/** Logos as a form sends them, and what is wrong with them in words. */
import { MAX_LOGO_BYTES, MAX_LOGO_SIDE_PIXELS, parseLogo } from '../../accounts/brand/logo.ts'
import type { BrandChange } from '../../accounts/brand/update-brand.ts'
import { type Problems, problemsOf } from '../page/form.ts'
import type { Visit } from '../page/route.ts'
import type { Upload } from '../page/upload.ts'
import type { Words } from '../page/words.ts'

export function readLogos(visit: Visit): {
  change: Pick<BrandChange, 'logo' | 'logoDark'>
  problems: Problems
} {
  const logo = readLogo(visit, 'logo')
  const logoDark = readLogo(visit, 'logo_dark')
  return {
    change: {
      ...(logo.change === undefined ? {} : { logo: logo.change }),
      ...(logoDark.change === undefined ? {} : { logoDark: logoDark.change }),
    },
    problems: problemsOf({ logo: logo.problem, logo_dark: logoDark.problem }),
  }
}

function readLogo({ uploads, form, words }: Visit, name: string) {
  const upload = uploads.get(name)
  const isRemoved = form.text(`remove_${name}`) === 'yes'
  if (upload === undefined) return { change: isRemoved ? null : undefined, problem: undefined }
  if (isRemoved) return { change: undefined, problem: words.texts.brand.errors.logoBoth }
  return { change: upload.bytes, problem: problemOf(words, upload) }
}

function problemOf(words: Words, { bytes, size }: Upload): string | undefined {
  const { errors } = words.texts.brand
  const most = words.number(MAX_LOGO_BYTES)
  if (size > bytes.length) return errors.logoBytes({ size, most })
  const checked = parseLogo(bytes, 'logo')
  if ('bytes' in checked) return undefined
  if (checked.code !== 'max') return errors.logoFormat
  // Rasters are kept as they came; of a drawing it is the cleaned one that is too large.
  if (/^\s*(?:\ufeff)?\s*</.test(bytes.toString('utf8', 0, 64))) return errors.logoDrawing({ most })
  return size > MAX_LOGO_BYTES
    ? errors.logoBytes({ size, most })
    : errors.logoSide({ most: MAX_LOGO_SIDE_PIXELS })
}

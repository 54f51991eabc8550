/** The form in which a file is stored, and the reasons for which one is rejected. */
import type { DOCUMENT_TYPE, PictureType } from './media-type.ts'

export const MAX_MEDIA_BYTES = 20 * 1024 * 1024
export const MAX_PIXELS = 50_000_000
export const MAX_SIDE_PIXELS = 12_000

/** In pixels, as they stand in addresses. A picture that is narrower is stored in its own width. */
export const WIDTHS = [320, 640, 1_280] as const
export type PictureWidth = (typeof WIDTHS)[number]

/** The best first. */
export const VARIANT_TYPES = {
  avif: 'image/avif',
  webp: 'image/webp',
  jpg: 'image/jpeg',
} as const
export type VariantType = keyof typeof VARIANT_TYPES

export type Variant = { width: PictureWidth; type: VariantType; bytes: Uint8Array }

/** `width` and `height`: pixels, after turning it as its EXIF data says. `color`: `#rrggbb`. */
export type PreparedPicture = {
  kind: 'picture'
  type: PictureType
  width: number
  height: number
  color: string
  variants: Variant[]
}

export type PreparedFile = PreparedPicture | { kind: 'document'; type: typeof DOCUMENT_TYPE }

export type RejectionCode =
  | 'media_type'
  | 'media_too_large'
  | 'media_dimensions'
  | 'media_unreadable'
  | 'media_active_content'

/** `message` says what to do. */
export type Rejection = { code: RejectionCode; message: string }

export type Preparation = PreparedFile | { rejection: Rejection }

export const reject = (code: RejectionCode, message: string): { rejection: Rejection } => ({
  rejection: { code, message },
})

/**
 * The widths that a picture has: those up to its own, and the next one in its own width, so that the largest
 * shows it in full. Never empty.
 */
export const listWidths = (width: number): PictureWidth[] =>
  WIDTHS.filter((_, i) => i === 0 || (WIDTHS[i - 1] ?? 0) < width)

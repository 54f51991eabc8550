/** Renders a picture in the widths and types of pages. Nothing of the file but its pixels is kept. */
import sharp from 'sharp'
import type { PictureType } from '../files/media-type.ts'
import {
  listWidths,
  MAX_PIXELS,
  MAX_SIDE_PIXELS,
  type PictureWidth,
  type Preparation,
  reject,
  type Variant,
  type VariantType,
} from '../files/prepared-file.ts'

// One picture at a time, and nothing kept between two: memory counts more than speed here.
sharp.concurrency(1)
sharp.cache(false)

const QUALITY = { avif: 55, webp: 78, jpg: 80 } as const
/** 0 to 9. With 4, three widths of a photograph take five times as long and get 1 to 9 % smaller. */
const AVIF_EFFORT = 3

const INPUT = { failOn: 'warning', limitInputPixels: MAX_PIXELS, pages: 1, sequentialRead: true } as const

export async function preparePicture(bytes: Uint8Array, type: PictureType): Promise<Preparation> {
  try {
    const { width, height } = await readSize(bytes)
    if (width > MAX_SIDE_PIXELS || height > MAX_SIDE_PIXELS || width * height > MAX_PIXELS) {
      return reject(
        'media_dimensions',
        `The picture is ${width} × ${height} pixels. At most ${MAX_SIDE_PIXELS} a side and ${MAX_PIXELS / 1e6} megapixels are accepted: save it smaller.`,
      )
    }
    const widths = listWidths(width)
    const largest = await renderPixels(bytes, widths.at(-1) ?? 0)
    const variants: Variant[] = []
    for (const target of widths) variants.push(...(await renderVariants(largest, target)))
    return { kind: 'picture', type, width, height, color: await findColor(largest), variants }
  } catch {
    return reject(
      'media_unreadable',
      'The picture is damaged or incomplete. Open it in an image editor, save it again and send that file.',
    )
  }
}

/** In pixels, after turning it as its EXIF data says. Only the head of the file is read. */
async function readSize(bytes: Uint8Array): Promise<{ width: number; height: number }> {
  // The limit is checked by the caller, who can then say the size.
  const {
    width,
    height,
    pageHeight,
    orientation = 1,
  } = await sharp(bytes, {
    ...INPUT,
    limitInputPixels: false,
  }).metadata()
  const size = { width, height: pageHeight ?? height }
  return orientation >= 5 ? { width: size.height, height: size.width } : size
}

type Pixels = { data: Buffer; info: { width: number; height: number; channels: 3 | 4 } }

/** At most `width` wide, in sRGB, without any metadata. The sent file is decoded once. */
async function renderPixels(bytes: Uint8Array, width: number): Promise<Pixels> {
  const { data, info } = await sharp(bytes, INPUT)
    .rotate()
    .resize({ width, withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  if (info.channels !== 3 && info.channels !== 4) {
    return renderGrey(data, info)
  }
  return { data, info: { width: info.width, height: info.height, channels: info.channels } }
}

/** Grey pictures have one or two channels; the types of the web have three or four. */
async function renderGrey(
  data: Buffer,
  { width, height, channels }: { width: number; height: number; channels: 1 | 2 | 3 | 4 },
): Promise<Pixels> {
  const wide = await sharp(data, { raw: { width, height, channels } })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data: wide.data, info: { width, height, channels: 4 } }
}

const openPixels = ({ data, info }: Pixels) => sharp(data, { raw: info })

async function renderVariants(largest: Pixels, width: PictureWidth): Promise<Variant[]> {
  const open = () => openPixels(largest).resize({ width, withoutEnlargement: true })
  const render: Record<VariantType, () => Promise<Buffer>> = {
    avif: () => open().avif({ quality: QUALITY.avif, effort: AVIF_EFFORT }).toBuffer(),
    webp: () => open().webp({ quality: QUALITY.webp }).toBuffer(),
    // JPEG knows no transparency.
    jpg: () =>
      open().flatten({ background: '#ffffff' }).jpeg({ quality: QUALITY.jpg, mozjpeg: true }).toBuffer(),
  }
  const variants: Variant[] = []
  for (const type of ['avif', 'webp', 'jpg'] as const)
    variants.push({ width, type, bytes: await render[type]() })
  return variants
}

/**
 * The mean colour, shown until the picture has come. White if parts are transparent, because these show it
 * for ever: a product cut out of its background would stand on its own colour.
 */
async function findColor(pixels: Pixels): Promise<string> {
  if (hasTransparency(pixels)) return '#ffffff'
  const { data } = await openPixels(pixels)
    .flatten({ background: '#ffffff' })
    .resize(1, 1, { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return `#${data.subarray(0, 3).toString('hex')}`
}

function hasTransparency({ data, info: { channels } }: Pixels): boolean {
  if (channels !== 4) return false
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return true
  return false
}

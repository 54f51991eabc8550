/** The dark and light modules of a QR symbol, which every drawing of one begins with. */
import { correction, generate } from 'lean-qr'

export const QR_LEVELS = ['M', 'Q'] as const
/** How much of a symbol may be lost: M 15 %, Q 25 %. */
export type QrLevel = (typeof QR_LEVELS)[number]

/** Modules of white on each side that ISO/IEC 18004 asks for; scanners fail with less. */
export const QUIET_ZONE = 4

/** Below this a phone's camera and a common printer lose modules. */
export const MIN_MODULE_MM = 0.25

export type Modules = {
  /** Modules of one side without the quiet zone. */
  size: number
  get: (x: number, y: number) => boolean
}

/** The smallest symbol of a text, with the mask that scans best unless one is set. */
export const buildQrModules = (text: string, level: QrLevel, set: { mask?: 2 } = {}): Modules =>
  generate(text, { minCorrectionLevel: correction[level], maxCorrectionLevel: correction[level], ...set })

/** The width of one module of a symbol printed `sizeMm` wide, quiet zone included, in millimetres. */
export const getModuleMm = ({ size }: Modules, sizeMm: number) => sizeMm / (size + 2 * QUIET_ZONE)

/** Each run of dark modules in a row, from the upper left corner of the quiet zone. */
export function forEachDarkRun(modules: Modules, draw: (x: number, y: number, length: number) => void): void {
  for (let y = 0; y < modules.size; y++) {
    for (let x = 0; x < modules.size; x++) {
      const start = x
      while (x < modules.size && modules.get(x, y)) x++
      if (x > start) draw(start + QUIET_ZONE, y + QUIET_ZONE, x - start)
    }
  }
}

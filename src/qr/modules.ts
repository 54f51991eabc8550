/** Computes the dark and light modules of a QR symbol. */
import { correction, generate } from 'lean-qr'

export const QR_LEVELS = ['M', 'Q'] as const
/** Error correction: how much of a symbol can be lost, M 15 %, Q 25 %. */
export type QrLevel = (typeof QR_LEVELS)[number]

/** White modules on each side, required by ISO/IEC 18004. */
export const QUIET_ZONE = 4

/** Smaller modules are lost by phone cameras and common printers. */
export const MIN_MODULE_MM = 0.25

export type Modules = {
  /** Modules per side, without the quiet zone. */
  size: number
  get: (x: number, y: number) => boolean
}

/** Builds the smallest symbol for a text, with the mask that scans best unless one is given. */
export const buildQrModules = (text: string, level: QrLevel | 'L', options: { mask?: 2 } = {}): Modules =>
  generate(text, { minCorrectionLevel: correction[level], maxCorrectionLevel: correction[level], ...options })

/** Returns the width of a module in millimetres if the symbol with its quiet zone is `sizeMm` wide. */
export const getModuleMm = ({ size }: Modules, sizeMm: number) => sizeMm / (size + 2 * QUIET_ZONE)

/** Calls `draw` for each run of dark modules in a row. Coordinates start at the corner of the quiet zone. */
export function forEachDarkRun(modules: Modules, draw: (x: number, y: number, length: number) => void): void {
  for (let y = 0; y < modules.size; y++) {
    for (let x = 0; x < modules.size; x++) {
      const start = x
      while (x < modules.size && modules.get(x, y)) x++
      if (x > start) draw(start + QUIET_ZONE, y + QUIET_ZONE, x - start)
    }
  }
}

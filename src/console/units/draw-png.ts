/** Draws QR codes as PNG in a thread, because 2,000 of 100 mm at 600 dpi keep a core busy for seconds. */
import { openLowPriorityThread } from '../../kernel/process/low-priority-thread.ts'
import type { PngOptions } from '../../qr/png.ts'

export type PngRequest = PngOptions & { text: string }

export const drawPng = openLowPriorityThread<PngRequest, Uint8Array>(
  new URL('draw-png-thread.ts', import.meta.url),
)

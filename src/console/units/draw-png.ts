/** Symbols as PNG, drawn beside the requests: 2,000 of 100 mm at 600 dpi keep a core busy for some seconds. */
import { openLowPriorityThread } from '../../kernel/process/low-priority-thread.ts'
import type { PngOptions } from '../../qr/png.ts'

export type Drawing = PngOptions & { text: string }

export const drawPng = openLowPriorityThread<Drawing, Uint8Array>(
  new URL('draw-png-thread.ts', import.meta.url),
)

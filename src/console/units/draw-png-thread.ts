/** The thread that draws QR codes as PNG. */
import { serveLowPriorityThread } from '../../kernel/process/low-priority-thread.ts'
import { renderQrPng } from '../../qr/png.ts'
import type { PngRequest } from './draw-png.ts'

serveLowPriorityThread(({ text, ...options }: PngRequest) => renderQrPng(text, options))

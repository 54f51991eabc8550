/** Begins the thread that draws symbols as PNG. */
import { serveLowPriorityThread } from '../../kernel/process/low-priority-thread.ts'
import { qrPng } from '../../qr/png.ts'
import type { Drawing } from './draw-png.ts'

serveLowPriorityThread(({ text, ...options }: Drawing) => qrPng(text, options))

/** The thread that shapes texts. It loads fonts, and frees their memory when it ends. */
import { serveLowPriorityThread } from '../../kernel/process/low-priority-thread.ts'
import { findUnprintable, type ShapedText, shapeText } from './shape-text.ts'
import type { ShapingRequest } from './text.ts'

serveLowPriorityThread<ShapingRequest, ShapedText | string[]>(request =>
  'find' in request ? findUnprintable(request.find) : shapeText(request),
)

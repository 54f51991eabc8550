/** What stores, reads and prepares the bytes of files. */
import type { MediaPlace } from '../kernel/config/environment-reader.ts'
import { createPreparer, type Preparer } from './prepare/preparer.ts'
import type { MediaStore } from './store/media-store.ts'
import { openMediaStore } from './store/open-media-store.ts'

export type MediaServices = { mediaStore: MediaStore; preparer: Preparer }

export const openMediaServices = (place: MediaPlace): MediaServices => ({
  mediaStore: openMediaStore(place),
  preparer: createPreparer(),
})

/** The services that store, read and prepare the bytes of files. */
import type { MediaPlace } from '../../kernel/config/environment-reader.ts'
import { createPreparer, type Preparer } from '../prepare/preparer.ts'
import type { MediaStore } from '../store/media-store.ts'
import { openMediaStore } from '../store/open-media-store.ts'

export type MediaServices = { mediaStore: MediaStore; preparer: Preparer }

/** `preparer`: how long it may take for a file, if not as long as for an upload. */
export const openMediaServices = (
  place: MediaPlace,
  preparer?: Parameters<typeof createPreparer>[0],
): MediaServices => ({
  mediaStore: openMediaStore(place),
  preparer: createPreparer(preparer),
})

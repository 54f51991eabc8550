/** Opens the store that the operator has chosen. */
import type { MediaPlace } from '../../kernel/config/environment-reader.ts'
import { openBucket } from './bucket-store.ts'
import { openFolder } from './folder-store.ts'
import type { MediaStore } from './media-store.ts'

export const openMediaStore = (place: MediaPlace): MediaStore =>
  'folder' in place ? openFolder(place.folder) : openBucket(place)

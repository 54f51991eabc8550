/** The categories that come with Carnet. Another one is a file in `categories/` and its name here. */
import { type CategoryFile, readBundledFile } from './category-file.ts'

export const BUNDLED = ['textile', 'battery', 'furniture'].map(name => readBundledFile<CategoryFile>(name))

/** The category by which a passport's data is disclosed. Everything that shows data to others uses this. */
import type { AudienceProfile } from '../../accounts/account/audience-profile.ts'
import { applyLaw, type CompleteCategory, findCategory } from '../../categories/catalogue.ts'
import { assert } from '../../kernel/errors/errors.ts'
import type { PublicPassportRow } from './find.ts'

/** The category with the audiences that an account has chosen. */
export const applyAudienceProfile = (
  category: CompleteCategory,
  profile: AudienceProfile,
): CompleteCategory => (profile === 'law' ? applyLaw(category) : category)

export type DisclosedRow = Pick<PublicPassportRow, 'category' | 'schema_version' | 'audience_profile'>

/** As of the schema version of the data, with the audiences of the passport's account. */
export function getDisclosedCategory(row: DisclosedRow): CompleteCategory {
  const category = findCategory(row.category, row.schema_version)
  assert(category, `the category ${row.category} of a stored passport is known`)
  return applyAudienceProfile(category, row.audience_profile)
}

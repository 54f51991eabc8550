/** The members of a body that describe a change, besides its data. */
import { CHANGE_TYPES } from '../../passports/write/plan-version.ts'
import { choiceMember, memberWithDefault, textMember } from '../endpoint/body.ts'

const MAX_NOTE_LENGTH = 500

const changeType = choiceMember(
  '`change` (default): the product is different from now on. `correction`: the data was wrong, so units already issued become outdated.',
  CHANGE_TYPES,
)

export const CHANGE_MEMBERS = {
  change_type: memberWithDefault(changeType, 'change'),
  note: textMember('Reason for the change, stored in the history.', MAX_NOTE_LENGTH),
}

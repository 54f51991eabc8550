/** Makes all forms of a passport from its row, as one audience gets them, and reads the data back from each. */
import type { Audience } from '../../src/categories/field.ts'
import { buildReading } from '../../src/passports/read/build-reading.ts'
import type { PublicPassportRow } from '../../src/passports/read/find.ts'
import { renderJsonLd } from '../../src/site/json-ld/document.ts'
import { buildAasEnvironment } from '../../src/standards/aas/environment.ts'
import { buildEnDocument, buildFullEnDocument } from '../../src/standards/en18223/document.ts'
import { fromEn } from '../../src/standards/en18223/read-document.ts'
import type { Reading } from '../../src/standards/reading.ts'
import { createKeyFinder } from '../../src/standards/signing/did-document.ts'
import { signJws } from '../../src/standards/signing/jws.ts'
import { verifySdJwt } from '../../src/standards/signing/read-sd-jwt.ts'
import { buildSdJwt, presentSdJwt, SD_JWT } from '../../src/standards/signing/sd-jwt.ts'
import { buildUntpCredential } from '../../src/standards/untp/untp-0.7.0.ts'
import { ADDRESSES } from '../harness.ts'
import { MADE_AT, read } from '../site/passport-views.ts'
import { expand, NS } from '../site/strict-json-ld.ts'
import type { Form } from './form-limits.ts'
import { omitEmpty, readAas, readCredential } from './read-forms.ts'
import { readJsonLd } from './read-json-ld.ts'
import { verifiedIssuer } from './readings.ts'
import { readExample, TEST_DID, testSigner } from './signing-examples.ts'

export const PUBLISHER = { publicUrl: ADDRESSES.publicUrl, nsUrl: NS, did: TEST_DID }

/** As its readers parse it. */
const parse = <T>(document: T): T => JSON.parse(JSON.stringify(document))

export const buildDatedReading = (row: PublicPassportRow, audience: Reading['audience']): Reading => ({
  ...buildReading(ADDRESSES, row, audience),
  changedAt: MADE_AT,
  versionCommitment: null,
})

/** `forms`: without a credential of UNTP if the passport lacks what that requires. */
export async function readAllForms(row: PublicPassportRow, audience: Audience) {
  const reading = buildDatedReading(row, audience)
  const owner = buildDatedReading(row, 'owner')
  const { category } = reading
  const document = parse(buildEnDocument(reading, PUBLISHER))
  const full = fromEn(parse(buildFullEnDocument(reading, PUBLISHER)), category)
  const publisher = { ...PUBLISHER, issuer: verifiedIssuer(reading) }
  const untp = buildUntpCredential({ reading, publisher, status: null, validUntil: MADE_AT })
  const expanded = await expand(JSON.parse(renderJsonLd(read(row, audience), NS)))
  const forms: Partial<Record<Form, unknown>> = {
    'EN 18223': fromEn(document, category),
    'JSON-LD': readJsonLd(expanded, category),
    ...('missing' in untp ? {} : { UNTP: readCredential(parse(untp.credential), category) }),
    AAS: readAas(parse(buildAasEnvironment(reading, PUBLISHER)), category),
    'SD-JWT VC': omitEmpty(category, await readSdJwt(owner, audience)),
  }
  return { reading, forms, full }
}

const END = new Date('2099-01-01T00:00:00Z')
const findKey = createKeyFinder(readExample('did-example'))

/** From one signature over all fields, as a reader of the audience gets it. */
async function readSdJwt(owner: Reading, audience: Audience) {
  const { fields, id } = owner.category
  const document = buildEnDocument(owner, PUBLISHER)
  const data = Object.fromEntries(
    Object.entries(document).filter(([name]) => fields.some(one => one.name === name)),
  )
  const { payload, disclosures } = buildSdJwt({
    issuer: TEST_DID,
    issuedAt: MADE_AT,
    expiresAt: END,
    type: `${NS}/${id}/v2`,
    header: {},
    status: null,
    passportId: owner.id,
    versionNo: 1,
    fields,
    data,
    commitKey: Buffer.alloc(32, 7),
  })
  const jwt = await signJws(payload, SD_JWT, testSigner)
  const { claims } = verifySdJwt(presentSdJwt(jwt, disclosures, audience), findKey)
  const { iss: _, iat: __, vct: ___, versionNo: ____, exp: _____, ...members } = claims
  return fromEn(members, owner.category)
}

/** Renders the public pages of a passport without requests, for programs that write all of them to files. */
import { getCachedBrand } from '../../accounts/brand/brand.ts'
import { assert } from '../../kernel/errors/errors.ts'
import { getQrAddress } from '../../passports/core/record.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { readPublicPassport } from '../../passports/read/public-passport.ts'
import { readPublicVersion } from '../../passports/read/public-version.ts'
import { renderQrSvg } from '../../qr/svg.ts'
import type { SiteSetup } from '../http/setup.ts'
import { HTML, isDocument, selectFormat } from './formats.ts'
import { negotiateLanguages, type Query } from './languages.ts'
import { parseVersion } from './passport-request.ts'
import { readPage } from './read-page.ts'

type RenderSetup = Pick<SiteSetup, 'sql' | 'clock' | 'addresses' | 'nsUrl' | 'secretCipher'>

export type RenderedPassport = {
  row: PublicPassportRow
  renderQrSymbol: () => string
  /** The page or JSON-LD document at this query, as the server sends it to a public reader. */
  render: (query: Query) => Promise<string>
}

/** Reads a passport and what its page shows. Its renderings in all languages share what was read. */
export async function openPassport(setup: RenderSetup, id: string): Promise<RenderedPassport | undefined> {
  const { sql, clock, addresses } = setup
  const row = await readPublicPassport(sql, id, clock.now())
  if (row === undefined) return undefined
  const brand = await getCachedBrand(sql, row.account_id, clock.now())
  const pages = new Map<number, ReturnType<typeof readVersion>>()
  const readVersion = async (versionNo: number) => {
    const version = await readPublicVersion(sql, row, versionNo)
    assert(version !== undefined, `${id} has a version ${versionNo}`)
    const input = {
      row: version,
      brand,
      newestVersionNo: row.version_no,
      audience: 'public',
      format: HTML,
    } as const
    return { row: version, ...(await readPage(setup, input)) }
  }
  const getPage = (versionNo: number) => {
    const known = pages.get(versionNo) ?? readVersion(versionNo)
    pages.set(versionNo, known)
    return known
  }
  await getPage(row.version_no)
  return {
    row,
    renderQrSymbol: () => renderQrSvg(getQrAddress(addresses, row, 'passport'), { level: 'M' }).svg,
    async render(query) {
      const format = selectFormat({ anyAccept: 'html' }, query.format, undefined)
      assert(format !== undefined && !isDocument(format), 'pages link to formats of the site')
      const { view, story, row: version } = await getPage(parseVersion(query) ?? row.version_no)
      const languages = negotiateLanguages({}, query, view)
      const reader = { country: undefined, access: undefined, isLinkInvalid: false }
      return format.render({ ...languages, ...reader, story, setup, view, row: version, brand }).body
    },
  }
}

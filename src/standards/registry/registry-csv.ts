/** Lines for the EU registry as CSV (RFC 4180), for people who look at them in a spreadsheet. */
import type { RegistryLine } from './registry-line.ts'

type Cell = string | number | null | undefined

const COLUMNS: Readonly<Record<string, (line: RegistryLine) => Cell>> = {
  action: line => line.action,
  passportId: line => line.passportId,
  versionNo: line => line.versionNo,
  uniqueProductIdentifier: line => line.uniqueProductIdentifier,
  digitalProductPassportId: line => line.digitalProductPassportId,
  granularity: line => line.granularity,
  modelUniqueProductIdentifier: line => line.modelUniqueProductIdentifier,
  batchUniqueProductIdentifier: line => line.batchUniqueProductIdentifier,
  'operator.registryId.scheme': line => line.operator.registryId.scheme,
  'operator.registryId.value': line => line.operator.registryId.value,
  'operator.gln': line => line.operator.gln,
  'operator.legalName': line => line.operator.legalName,
  'operator.country': line => line.operator.country,
  facilities: line => line.facilities.map(({ scheme, value }) => `${scheme}:${value}`).join(' '),
  commodityCode: line => line.commodityCode,
  liveUrl: line => line.liveUrl,
  backupUrl: line => line.backupUrl,
  dppApiEndpoint: line => line.dppApiEndpoint,
  contentHash: line => line.contentHash.value,
  versionCommitment: line => line.versionCommitment,
  dataLastUpdated: line => line.dataLastUpdated,
  'issuer.name': line => line.issuer?.name,
  'issuer.verified': line => (line.issuer === undefined ? undefined : line.issuer.verified ? 'yes' : 'no'),
}

/** Security bound: spreadsheet programs run a text with such a beginning as a formula (CWE-1236). */
const FORMULA = /^[=+\-@＝＋－＠\s]/

function formatCell(cell: Cell): string {
  const text = String(cell ?? '')
  const safe = typeof cell === 'string' && FORMULA.test(cell) ? `'${text}` : text
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const formatRow = (cells: readonly Cell[]) => `${cells.map(formatCell).join(',')}\r\n`

export const REGISTRY_CSV_HEADING = formatRow(Object.keys(COLUMNS))

export const formatRegistryCsv = (line: RegistryLine): string =>
  formatRow(Object.values(COLUMNS).map(read => read(line)))

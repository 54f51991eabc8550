/** The words of the scan pages in English; every other language has the same keys. */
export const en = {
  title: 'Scans',
  lead: 'How often the public pages of your passports are opened. Nobody is followed: only sums are kept.',
  ranges: 'Range',
  range: (days: number) => (days === 365 ? '1 year' : `${days} days`),
  saved: 'Saved. It holds everywhere within three seconds.',

  total: 'Scans',
  unique: 'Different readers',
  uniqueHint: 'day by day',
  crawlers: 'Search engines and previews',
  crawlersHint: 'counted apart',
  more: (percent: string, before: string) => `${percent} more than before (${before})`,
  less: (percent: string, before: string) => `${percent} less than before (${before})`,
  same: 'as many as before',
  few: (recent: string, before: string) => `${recent}, before that ${before}`,
  compared: (days: number) =>
    `“Before” compares the ${days} whole days up to yesterday with the ${days} days before them.`,
  forgotten: 'Days are kept for 400 days, so a year cannot be compared with the one before.',
  young: (date: string) =>
    `There is nothing to compare with yet: the first scan that is known was on ${date}.`,
  switched: (date: string) =>
    `Not compared with the time before, because on ${date} it was changed what is counted.`,

  trend: 'Day by day',
  trendWeeks: 'Week by week',
  trendSays: (total: string, most: string, when: string) =>
    `Scans in all: ${total}. The most: ${most}, ${when}.`,
  onDay: (date: string) => `on ${date}`,
  inWeek: (date: string) => `in the week from ${date}`,
  barDay: (date: string, total: string, unique: string) =>
    `${date}: scans ${total}, different readers ${unique}`,
  barWeek: (date: string, total: string, unique: string) =>
    `Week from ${date}: scans ${total}, different readers ${unique}`,
  day: 'Day',
  week: 'Week from',
  asTable: 'As a table',
  partWeeks: 'Weeks begin on Monday; the first and the last one may be in part only.',
  partDay: 'Today is not over yet.',
  noneInRange: 'There were no scans in this range.',

  whence: 'Where from',
  countries: 'Countries',
  country: 'Country',
  unknownCountry: 'Unknown',
  mapSays: (count: number, name: string) =>
    count === 1
      ? `Map of the world: scans from ${name}.`
      : `Map of the world: scans from ${count} countries, the most from ${name}. The table has all figures.`,
  noScansThere: 'no scans',
  otherCountries: (count: number) => (count === 1 ? 'One more country' : `${count} more countries`),
  share: 'Share',
  scans: 'Scans',
  mapSource: 'Outlines: Natural Earth, public domain.',

  devices: 'Devices',
  device: 'Device',
  deviceNames: { mobile: 'Phone', tablet: 'Tablet', desktop: 'Computer', other: 'Other' },
  byCategory: 'Categories',
  byLevel: 'Levels',

  top: 'Scanned most',
  topLead: 'Models, with the scans of their batches and items.',
  topUnsure: 'Many products are scanned about equally often; another one may belong in this list.',
  product: 'Product',
  gone: 'A product that is no longer here',

  clones: 'Codes that may have been copied',
  clonesNone: 'No code of an item is suspected.',
  clonesOff: 'Codes of items are not watched at the moment.',
  clonesLead:
    'One piece can only be in one place. These items were scanned within a day from more countries, or by more devices, than that explains.',
  clonesToDo: 'What to do',
  clonesSteps: [
    'Open the item and see from where it is scanned. A fair, a campaign or a photo on the web can be the reason: then there is nothing to do.',
    'If the countries are not where you sell, ask for a photo of the piece and of its label.',
    'If it was copied, archive the item. Whoever scans the copy then reads that the passport is archived.',
  ],
  seen: (scans: string, countries: string, devices: string) =>
    `within a day: ${scans} scans, ${countries} countries, ${devices} devices`,
  onceAWeek: 'An item is named again after seven days at the earliest.',

  milestones: 'Milestones',
  milestonesLead: 'Round numbers that products reached in the last 30 days.',
  milestonesNone: 'None in the last 30 days. The first ones are 10, 50 and 100 scans.',
  reached: (milestone: string) => `${milestone} scans`,
  before: 'earlier than 400 days ago',

  how: 'How this is counted',
  howPoints: [
    'A scan is one look at the public page of a passport, by its code or its address. Search engines, previews in messengers and people signed in to this account are not scans.',
    'Different readers are told apart within one day only, by a mark that leads nowhere after two days at the latest. Who comes on three days counts three times.',
    'No address and no name of a device is stored. The country comes from the network and is a good guess; where it cannot be known, it says “Unknown”.',
    'Days are those of UTC, and are kept for 400 days. A scan is here within a second or two.',
  ],
  howApi: 'The same figures by API',

  switches: 'What is counted',
  switchesLead:
    'Some laws forbid to collect data about who reads a passport. What is switched off is not even looked at; what was counted before stays.',
  switchAll: 'Count scans',
  switchAllHint: 'Off: nothing is worked out from any reader.',
  switchCategories: 'Categories',
  switchClones: 'Watch for copied codes of items',
  switchClonesHint: (rules: {
    countries: number
    devices: number
    many: number
    scans: number
    scanDevices: number
  }) =>
    `Within a day: from ${rules.countries} countries and ${rules.devices} devices, or from ${rules.many} countries, or ${rules.scans} scans by ${rules.scanDevices} devices. Whoever runs this Carnet can set other numbers.`,
  save: 'Save',
  isOff: 'Scans are not counted at the moment.',
  isOffFor: (categories: string) => `Not counted at the moment: ${categories}.`,
  on: 'on',
  off: 'off',
  viewersOnly: 'Editors and owners can change this.',

  emptyTitle: 'No scans yet',
  emptyLead: 'The first one comes about like this:',
  emptySteps: [
    'Point the camera of a phone at this code, and open the page it leads to.',
    'Load this page again. The scan is here after a second or two.',
  ],
  emptyOwn: 'Opened in this browser it does not count, because you are signed in here.',
  emptyCode: (name: string) => `QR code of ${name}`,
  emptyNone: 'Make a product first: each has a page and a code of its own.',
  toProducts: 'To the products',

  part: 'Scans',
  partNone: 'It has not been scanned in this range.',
  ownScans: 'Its own',
  withUnits: 'With all units',
  which: 'Which scans',
  milestonesOwn: 'Milestones by its own scans',
  suspected: (date: string) => `The code of this item may have been copied (${date}).`,
  toScans: 'Scans of the whole account',
}

export type ScanTexts = typeof en

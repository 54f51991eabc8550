/** Generated from en.json by `npm run texts`: do not edit. A call fills the placeholders; `count` chooses the plural. */
type Value = string | number

export type Texts = {
  locale: string
  page: {
    brand: string
    skip: string
    navigation: string
    places: {
      overview: string
      products: string
      readiness: string
      scans: string
      import: string
      settings: string
      developer: string
    }
    accountClosed: string
    signOut: string
    signedInAs: (values: { email: Value; role: Value }) => string
    copy: string
    copied: string
    backToConsole: string
    opensPublic: string
    problemCount: (values: { count: number }) => string
    unnamed: string
    archived: string
    sku: string
    version: (values: { n: Value }) => string
    choose: string
  }
  keys: {
    title: string
    scopes: {
      full: string
      read: string
    }
    lead: string
    ownersOnly: string
    none: string
    ended: (values: { count: Value }) => string
    endedMore: (values: { shown: Value; all: Value }) => string
    scope: string
    created: string
    createdBy: (values: { date: Value; by: Value }) => string
    lastUsed: string
    neverUsed: string
    ends: string
    noEnd: string
    state: string
    inUse: string
    expired: (values: { date: Value }) => string
    revoked: (values: { date: Value }) => string
    revoke: string
    rotate: string
    new: string
    name: string
    nameHint: string
    endsChoices: {
      30: string
      90: string
      365: string
      never: string
    }
    create: string
    shownTitle: string
    shownLead: string
    shownField: string
    done: string
    rotateTitle: (values: { name: Value }) => string
    rotateLead: string
    rotateSubmit: string
    revokeTitle: (values: { name: Value }) => string
    revokeLead: string
    revokeSubmit: string
    keep: string
    opens: {
      full: string
      read: string
    }
  }
  roles: {
    owner: string
    editor: string
    viewer: string
  }
  levels: {
    model: string
    batch: string
    item: string
  }
  signIn: {
    email: string
    password: string
    newPassword: string
    passwordHint: (values: { min: Value; max: Value }) => string
    title: string
    sessionEnded: string
    first: string
    known: string
    wrong: string
    wait: (values: { count: number }) => string
    busy: (values: { seconds: Value }) => string
    passkey: string
    passkeyRefused: string
    passkeyCancelled: string
    passkeyElsewhere: (values: { address: Value }) => string
  }
  sessionEnded: {
    title: string
    lead: string
    first: string
    signIn: string
    second: string
    notSecrets: string
    again: string
    filesLead: string
  }
  forgottenPassword: {
    title: string
    lead: string
    submit: string
    sent: string
    sentLead: (values: { email: Value }) => string
    notReceived: string
    askOperator: string
    operatorCommand: string
  }
  browserLink: {
    title: string
    offer: (values: { email: Value }) => string
    lead: string
    submit: string
    passkey: string
    otherWays: string
    askOperator: string
    sentLead: (values: { email: Value }) => string
    notReceived: string
    useOlder: string
    confirmLead: (values: { email: Value }) => string
    confirm: string
  }
  confirm: {
    title: string
    lead: string
    password: string
    wrong: string
    submit: string
    passkey: string
    cancel: string
  }
  setUp: {
    title: string
    lead: string
    submit: string
    accountName: string
    accountNameHint: string
    legalName: string
    legalNameHint: string
  }
  setPassword: {
    title: string
    lead: string
    submit: string
  }
  linkEnded: {
    title: string
    setUp: string
    password: string
    browser: string
  }
  home: {
    plan: string
    role: string
    keysInUse: string
    quota: string
    quotaOf: (values: { used: Value; quota: Value }) => string
    quotaUnlimited: (values: { used: Value }) => string
    quotaNone: (values: { used: Value }) => string
    quotaNote: string
    newest: string
    newestNone: string
    newestFirst: string
    api: string
    apiAddress: string
    apiTry: string
    apiTryHint: string
    apiKeysLink: string
    apiNotIncluded: string
    otherAccounts: string
    switchTo: (values: { name: Value }) => string
  }
  errors: {
    required: string
    emailFormat: string
    emailTaken: string
    tooLong: (values: { max: Value }) => string
    characters: string
    choice: string
    short: (values: { min: Value }) => string
    long: (values: { max: Value }) => string
    common: string
    email: string
  }
  errorPages: {
    400: {
      title: string
      lead: string
    }
    403: {
      title: string
      lead: string
    }
    404: {
      title: string
      lead: string
    }
    405: {
      title: string
      lead: string
    }
    410: {
      title: string
      lead: string
    }
    413: {
      title: string
      lead: string
    }
    414: {
      title: string
      lead: string
    }
    415: {
      title: string
      lead: string
    }
    429: {
      title: string
      lead: string
    }
    500: {
      title: string
      lead: string
    }
    503: {
      title: string
      lead: string
    }
  }
  requests: {
    crossSite: string
    crossSiteDownload: string
    downloadsBusy: string
    tooManyRequests: (values: { seconds: Value }) => string
    tooManyTests: (values: { most: Value; seconds: Value }) => string
    ownersOnly: string
    editorsOnly: string
    requestId: (values: { id: Value }) => string
    uploadsBusy: string
  }
  products: {
    products: string
    newProduct: string
    draftsLink: (values: { n: Value }) => string
    newOf: (values: { category: Value }) => string
    newLead: string
    takenFrom: (values: { name: Value }) => string
    companyTaken: (values: { name: Value }) => string
    companyOffer: (values: { name: Value; company: Value; role: Value }) => string
    companyUse: string
    chooseCategory: string
    categoryHints: {
      textile: string
      battery: string
      furniture: string
    }
    anyCategory: string
    levels: {
      model: string
      batch: string
      item: string
      all: string
    }
    statuses: {
      all: string
      active: string
      archived: string
    }
    search: string
    searchHint: string
    level: string
    status: string
    category: string
    onlyOutdated: string
    show: string
    found: (values: { count: number }) => string
    foundMany: (values: { count: Value }) => string
    none: string
    nothingFound: string
    name: string
    sku: string
    version: string
    changed: string
    created: string
    select: string
    selectOne: (values: { title: Value }) => string
    outdated: string
    archiveSelected: string
    restoreSelected: string
    someFailed: string
    noneSelected: string
    done: {
      created: string
      published: string
      saved: string
      corrected: string
      archived: string
      restored: string
      reverted: string
      issued: string
      refreshed: string
    }
    pages: string
    earlier: string
    later: string
    pageOf: (values: { page: Value; last: Value }) => string
    pageNo: (values: { page: Value }) => string
    newestPage: string
    oldestPage: string
    lot: string
    serial: string
    parent: string
    edit: string
    archive: string
    restore: string
    data: string
    dataThen: string
    own: string
    textLanguages: (values: { n: Value; all: Value }) => string
    publicPage: string
    address: string
    gs1Address: string
    openPage: string
    codeOf: string
    downloadCode: string
    previewAs: {
      legitimate_interest: string
      authority: string
    }
    previewHint: string
    newAccessLink: string
    downloadPng: (values: { dpi: Value }) => string
    labels: string
    versions: string
    versionsMore: (values: { shown: Value; all: Value }) => string
    versionNo: (values: { n: Value }) => string
    kinds: {
      created: string
      change: string
      correction: string
      refresh: string
    }
    olderVersion: string
    newerVersion: string
    noDifference: string
    difference: string
    field: string
    before: string
    after: string
    revert: string
    revertLead: (values: { n: Value }) => string
    revertAs: {
      change: string
      correction: string
    }
    core: string
    more: string
    ownFields: string
    inheritedFields: string
    optional: string
    choose: string
    yes: string
    no: string
    addRow: string
    removeRow: string
    rowOf: (values: { label: Value; n: Value }) => string
    sum: string
    fallsBack: (values: { language: Value }) => string
    cancel: string
    create: string
    editOf: (values: { name: Value }) => string
    unitLead: string
    why: string
    note: string
    noteHint: string
    save: string
    conflict: string
    conflictBoth: string
    conflictVersion: string
    gtinHolder: string
    draftFound: (values: { time: Value }) => string
    draftRestore: string
    draftDiscard: string
    nothingChanged: string
    doneCount: {
      saved: (values: { count: Value }) => string
      corrected: (values: { count: Value }) => string
      reverted: (values: { count: Value }) => string
      issued: (values: { count: number }) => string
      refreshed: (values: { count: number }) => string
    }
  }
  form: {
    hints: {
      productName: string
      sku: string
      gtin: string
      commodityCode: string
      economicOperator: string
      "economicOperator.address": string
      "economicOperator.contactEmail": string
      "economicOperator.operatorId": string
      "economicOperator.eori": string
      languages: string
      "endOfLife.disposalInstructions": string
      complianceDocuments: string
      "complianceDocuments.url": string
      "textile.careInstructions": string
      "furniture.careInstructions": string
      "textile.repair.sparePartsAvailable": string
      "repair.instructions": string
      "repair.sparePartsUrl": string
      fiberComposition: string
      materialComposition: string
      "supplyChainStages.facilityId": string
      "substancesOfConcern.casNumber": string
      "substancesOfConcern.concentrationRange": string
      "substancesOfConcern.note": string
      "hazardousSubstances.casNumber": string
      "hazardousSubstances.concentrationRange": string
      "durability.testResults": string
      "durability.pefScore": string
      "textile.carbonFootprint": string
      "textile.waterFootprint": string
      weightGrams: string
      "battery.manufacturingDate": string
      "battery.stateOfHealth": string
      "battery.carbonFootprint": string
      "battery.carbonFootprintClass": string
      "battery.carbonFootprintStudyUrl": string
      "battery.dueDiligenceUrl": string
      "footprintComparison.statement": string
      "footprintComparison.source": string
      "furniture.woodCertification.country": string
      "furniture.dimensions": string
      "furniture.assemblyInstructions": string
      "pictures.alt": string
      "documents.type": string
      "documents.url": string
      "documents.language": string
      "documents.access": string
    }
    whoSees: {
      authority: string
      legitimateInterest: string
      protected: string
    }
    checkEntries: string
    changeEntries: string
    twoReadings: (values: { typed: Value; one: Value; other: Value }) => string
    inexact: string
    primary: (values: { language: Value }) => string
    anotherLanguage: string
    languageInput: string
    addLanguage: string
    hasMarkup: string
    makePlain: string
    showTexts: string
  }
  units: {
    units: (values: { count: number }) => string
    unitsMany: (values: { count: Value }) => string
    noUnits: string
    unitsHere: (values: { here: Value }) => string
    issue: string
    issueLead: string
    issueLevels: {
      batch: string
      item: string
    }
    names: string
    namesHint: (values: { most: Value }) => string
    issueSubmit: string
    issuedSome: (values: { done: Value; left: Value }) => string
    line: (values: { n: Value; name: Value }) => string
    andMore: (values: { count: Value }) => string
    noNames: string
    tooManyNames: (values: { count: Value; most: Value }) => string
    unitFaults: {
      lot_taken: string
      serial_taken: string
      length: string
      pattern: string
    }
    unitQuota: {
      batch: string
      item: string
    }
    issueArchived: string
    issueItem: string
    outdatedUnits: (values: { count: number }) => string
    outdatedSelf: {
      batch: string
      item: string
    }
    outdatedWithItems: (values: { count: number }) => string
    refresh: (values: { count: number }) => string
    refreshing: (values: { done: Value; all: Value }) => string
    refreshFailed: (values: { count: Value }) => string
    title: string
  }
  labels: {
    labelsLead: string
    labelsOf: string
    ofSelf: string
    ofBelow: {
      items: (values: { count: Value }) => string
      batches: (values: { count: Value }) => string
    }
    ofBelowMany: {
      items: (values: { count: Value }) => string
      batches: (values: { count: Value }) => string
    }
    labelsContent: string
    labelsFile: string
    files: {
      pdf: string
      svg: string
      png300: string
      png600: string
    }
    labelsSheet: string
    sheet: string
    sheetOf: (values: { width: Value; height: Value; n: Value }) => string
    sheetOwn: string
    width: string
    height: string
    skip: string
    labelsPicture: string
    codeSize: string
    copies: string
    productPicture: string
    withoutPicture: string
    withPicture: string
    unprintableCharacters: string
    withoutBoxes: string
    withBoxes: string
    unprintable: (values: { characters: Value; names: Value }) => string
    resolution: string
    between: (values: { least: Value; most: Value }) => string
    wholeBetween: (values: { least: Value; most: Value }) => string
    oneOf: (values: { names: Value }) => string
    labelsCheck: string
    labelsMake: string
    labelsSize: (values: { wide: Value }) => string
    labelsSizeFine: (values: { wide: Value }) => string
    labelsMost: (values: { most: Value }) => string
    labelsRange: string
    labelsRangeHint: string
    labelsFrom: string
    labelsTo: string
    noSuchUnit: {
      items: (values: { name: Value }) => string
      batches: (values: { name: Value }) => string
    }
    tooManyLabels: (values: { count: Value; most: Value }) => string
    tooManyPixels: string
    tooFine: (values: { module: Value }) => string
    pictureCount: (values: { labels: Value }) => string
    labelCount: (values: { labels: Value; sheets: Value }) => string
  }
  media: {
    title: string
    lead: string
    upload: string
    choose: string
    chooseHint: (values: { most: Value; files: Value }) => string
    takePhoto: string
    drop: string
    uploadSubmit: string
    waiting: string
    sending: (values: { percent: Value }) => string
    checking: string
    fileAdded: string
    fileKnown: string
    showAdded: string
    addedMany: (values: { count: number }) => string
    notAdded: (values: { count: number }) => string
    othersAdded: (values: { count: number }) => string
    deleted: string
    all: string
    kind: string
    kinds: {
      all: string
      picture: string
      document: string
    }
    none: string
    noneFound: string
    processing: string
    pixels: (values: { name: Value; width: Value; height: Value }) => string
    usage: string
    used: {
      files: string
      bytes: string
    }
    unlimited: (values: { used: Value }) => string
    preview: string
    download: string
    size: string
    uploaded: string
    id: string
    idHint: string
    delete: string
    deleteQuestion: string
    deleteLead: string
    keep: string
    inDraft: string
    withdrawal: {
      ask: string
      question: string
      lead: string
      reason: string
      reasonHint: string
      submit: string
      asked: (values: { at: Value; reason: Value }) => string
      required: string
      long: (values: { most: Value }) => string
    }
    usedByDrafts: string
    onlyDraft: string
    inUse: string
    problems: {
      noFile: string
      tooMany: (values: { most: Value }) => string
      tooLarge: (values: { most: Value }) => string
      dimensions: (values: { megapixels: Value; side: Value }) => string
      activePdf: string
      withdrawn: string
      damagedPdf: string
      damagedPicture: string
      empty: string
      heic: string
      type: string
      quota: string
      busy: string
      storeFull: string
      lost: string
      failed: string
      signedOut: string
    }
    storedDocument: string
    onlyUnused: string
    uses: (values: { count: number }) => string
    usedBy: string
    moreUses: (values: { shown: Value }) => string
    unused: string
    waitForFiles: string
  }
  files: {
    title: (values: { name: Value }) => string
    lead: string
    add: string
    none: string
    inherited: string
    textIn: (values: { label: Value; n: Value; all: Value; names: Value }) => string
    own: string
    copy: string
    raise: string
    gone: string
    noFile: string
    otherHint: string
    older: string
    choose: string
    addPicked: string
    uploadAndAdd: string
    addAddress: string
  }
  productList: {
    levelTabs: {
      model: string
      batch: string
      item: string
      all: string
    }
    nothingHere: string
    matches: {
      model: (values: { count: number }) => string
      batch: (values: { count: number }) => string
      item: (values: { count: number }) => string
      all: (values: { count: Value }) => string
    }
    matchesWithoutFilters: (values: { count: number }) => string
    lacking: (values: { rule: Value; act: Value }) => string
    ofState: {
      ready: (values: { act: Value }) => string
      incomplete: (values: { act: Value }) => string
      undetermined: (values: { act: Value }) => string
    }
    withoutReadiness: string
    models: (values: { count: number }) => string
    batches: (values: { count: number }) => string
    items: (values: { count: number }) => string
    archived: (values: { what: Value }) => string
    restored: (values: { what: Value }) => string
    undo: string
    archiveTitle: (values: { what: Value }) => string
    stayActive: (values: { what: Value }) => string
    manyStayActive: (values: { count: Value }) => string
    archivedUnits: string
  }
  review: {
    reviewOf: (values: { name: Value }) => string
    reviewTitle: string
    reviewLead: string
    kindOfChange: string
    whatChange: string
    changeTypes: {
      change: string
      correction: string
    }
    changeHints: {
      change: (values: { count: number }) => string
      correction: (values: { count: number }) => string
    }
    reachOwn: (values: { count: number; field: Value }) => string
    chooseOne: string
    back: string
  }
  recalls: {
    title: string
    titleOf: (values: { name: Value }) => string
    none: string
    inForce: (values: { date: Value }) => string
    endedOn: (values: { date: Value }) => string
    set: string
    change: string
    points: readonly string[]
    reachItem: string
    reachBatch: string
    reachModel: string
    reachUnits: (values: { what: Value }) => string
    reachMany: (values: { count: Value }) => string
    atOnce: string
    hazard: string
    hazardHint: string
    action: string
    actionHint: string
    otherLanguages: string
    url: string
    urlHint: string
    contact: string
    contactHint: string
    from: string
    fromHint: string
    fromWrong: string
    fromFuture: string
    check: string
    setQuestion: string
    changeQuestion: string
    preview: string
    notInLanguage: string
    publish: string
    publishChange: string
    backToForm: string
    conflict: string
    end: string
    endQuestion: string
    endPoints: readonly string[]
    endSubmit: string
    keep: string
    changes: string
    changeKinds: {
      s: string
      c: string
      e: string
    }
    seeTexts: string
    done: {
      set: string
      changed: string
      ended: string
    }
    ofThis: (values: { date: Value }) => string
    ofModel: (values: { date: Value }) => string
    ofBatch: (values: { date: Value }) => string
    see: string
    recalled: string
    setLink: string
  }
  drafts: {
    title: string
    lead: string
    none: string
    found: (values: { count: number }) => string
    searchHint: string
    newProduct: string
    changeOfProduct: string
    publishable: string
    refused: (values: { count: number }) => string
    saveAs: string
    draftLead: (values: { date: Value }) => string
    created: string
    saved: string
    discarded: string
    kind: string
    changes: string
    product: string
    publish: string
    discard: string
    refusedTitle: string
    refusedCount: (values: { n: Value }) => string
    nothingRefused: string
    notPublished: (values: { count: number }) => string
    addressHint: string
    editOf: (values: { name: Value }) => string
    formLead: string
    filesLead: string
    save: string
    changedMeanwhile: string
    discardQuestion: (values: { name: Value }) => string
    discardLead: string
    keep: string
  }
  readiness: {
    title: string
    titleOf: (values: { name: Value }) => string
    lead: string
    score: (values: { met: Value; total: Value; percent: Value }) => string
    statuses: {
      in_force: string
      framework: string
      draft: string
    }
    duties: {
      inform: string
      hold: string
    }
    since: (values: { date: Value }) => string
    dueFrom: (values: { date: Value }) => string
    daysLeft: (values: { count: number }) => string
    expected: (values: { time: Value }) => string
    noActs: string
    notApplying: (values: { acts: Value }) => string
    undetermined: string
    see: string
    nothingMissing: string
    groups: {
      missing: string
      partial: string
      check: string
      advised: string
      unit: string
      later: string
      done: string
      notApplicable: string
    }
    groupCount: (values: { group: Value; n: Value }) => string
    checkLead: string
    fillIn: string
    fillAll: (values: { count: number }) => string
    fillLead: string
    moreMembers: (values: { count: number }) => string
    change: string
    doesNotApply: string
    onModel: string
    reason: string
    reasonHint: string
    saveReason: string
    declared: string
    declaredBecause: (values: { reason: Value }) => string
    audienceGap: (values: { readers: Value }) => string
    unitsLack: (values: { count: number }) => string
    fillUnits: {
      refresh: string
      "children/update": string
    }
    notes: string
    noteTexts: {
      sum_not_100: string
      sum_differs: string
      not_listed: string
      order: string
    }
    point: (values: { n: Value }) => string
    points: (values: { list: Value }) => string
    untp: string
    untpMissing: (values: { fields: Value }) => string
    rulesOf: (values: { date: Value }) => string
    sources: string
    credit: string
    download: string
    columns: {
      act: string
      point: string
      title: string
      question: string
      field: string
      send: string
      source: string
    }
    send: {
      number: string
      numberIn: (values: { unit: Value }) => string
      boolean: string
      date: string
      text: string
      translated: string
      url: string
      country: string
      values: (values: { values: Value }) => string
      list: (values: { members: Value }) => string
    }
    lookedNone: string
    otherFields: string
    nothingAsked: {
      units: string
      check: string
      later: string
      not_applicable: string
    }
    unitsWithout: (values: { count: number; lacking: Value }) => string
    unitsComplete: (values: { count: number }) => string
    unitsUnknown: string
    ruleUnitsWithout: (values: { count: number; lacking: Value }) => string
    ruleUnitsComplete: (values: { count: number }) => string
    unitsInPart: string
    notWhole: string
    nothingMissingOfChecked: string
    dueDay: (values: { date: Value; who: Value }) => string
    unverified: (values: { text: Value }) => string
    readOn: (values: { date: Value }) => string
    readThrough: (values: { date: Value; source: Value }) => string
  }
  accountReadiness: {
    title: string
    lead: string
    asOf: (values: { time: Value }) => string
    pending: (values: { count: number }) => string
    none: string
    noActs: string
    notConcerned: (values: { acts: Value }) => string
    settings: string
    states: {
      ready: (values: { count: number }) => string
      incomplete: (values: { count: number }) => string
      undetermined: (values: { count: number }) => string
    }
    gaps: string
    products: (values: { count: number }) => string
    more: (values: { count: number }) => string
    checks: (values: { count: number }) => string
    download: string
    columns: {
      act: string
      status: string
      due: string
      products: string
      ready: string
      incomplete: string
      undetermined: string
      point: string
      rule: string
      title: string
      question: string
      missing: string
      partial: string
      check: string
      source: string
      nothingAsked: string
    }
    share: (values: { percent: Value }) => string
    lacking: (values: { count: number }) => string
    nothingAsked: (values: { count: number }) => string
    notWhole: string
  }
  scans: {
    title: string
    lead: string
    ranges: string
    saved: string
    total: string
    unique: string
    uniqueHint: string
    crawlers: string
    crawlersHint: string
    more: (values: { percent: Value; before: Value }) => string
    less: (values: { percent: Value; before: Value }) => string
    same: string
    few: (values: { recent: Value; before: Value }) => string
    compared: (values: { days: Value }) => string
    forgotten: string
    young: (values: { date: Value }) => string
    switched: (values: { date: Value }) => string
    trend: string
    trendWeeks: string
    trendSays: (values: { total: Value; most: Value; when: Value }) => string
    onDay: (values: { date: Value }) => string
    inWeek: (values: { date: Value }) => string
    barDay: (values: { date: Value; total: Value; unique: Value }) => string
    barWeek: (values: { date: Value; total: Value; unique: Value }) => string
    day: string
    week: string
    asTable: string
    partWeeks: string
    partDay: string
    noneInRange: string
    whence: string
    countries: string
    country: string
    unknownCountry: string
    mapSays: (values: { count: number; name: Value }) => string
    otherCountries: (values: { count: number }) => string
    share: string
    scans: string
    mapSource: string
    devices: string
    device: string
    deviceNames: {
      mobile: string
      tablet: string
      desktop: string
      other: string
    }
    byCategory: string
    byLevel: string
    top: string
    topLead: string
    topUnsure: string
    product: string
    gone: string
    clones: string
    clonesNone: string
    clonesOff: string
    clonesLead: string
    clonesToDo: string
    clonesSteps: readonly string[]
    seen: (values: { scans: Value; countries: Value; devices: Value }) => string
    onceAWeek: string
    milestones: string
    milestonesLead: string
    milestonesNone: string
    reached: (values: { milestone: Value }) => string
    before: string
    how: string
    howPoints: readonly string[]
    howApi: string
    switches: string
    switchesLead: string
    switchAll: string
    switchAllHint: string
    switchCategories: string
    switchClones: string
    switchClonesHint: (values: { countries: Value; devices: Value; many: Value; scans: Value; scanDevices: Value }) => string
    save: string
    isOff: string
    isOffFor: (values: { categories: Value }) => string
    on: string
    off: string
    viewersOnly: string
    emptyTitle: string
    emptyLead: string
    emptySteps: readonly string[]
    emptyOwn: string
    emptyCode: (values: { name: Value }) => string
    emptyNone: string
    toProducts: string
    part: string
    partNone: string
    ownScans: string
    withUnits: string
    which: string
    milestonesOwn: string
    suspected: (values: { date: Value }) => string
    toScans: string
    days: (values: { days: Value }) => string
    year: string
  }
  spreadsheets: {
    title: string
    importTitle: string
    importLead: string
    viewerOnly: string
    templates: string
    templatesLead: string
    templateOf: (values: { category: Value }) => string
    languages: string
    languagesHint: string
    category: string
    format: string
    formats: {
      xlsx: string
      csv: string
      csv2: string
    }
    download: string
    upload: string
    file: string
    fileHint: string
    uploadSubmit: string
    noFile: string
    earlier: string
    rows: (values: { count: number }) => string
    states: {
      open: string
      checking: string
      checked: string
      running: string
      done: string
      stopped: string
    }
    readAs: (values: { encoding: Value }) => string
    sheet: string
    sheetHint: string
    readSheet: string
    header: string
    headerHint: string
    headerRow: (values: { row: Value; titles: Value }) => string
    readHeader: string
    columns: string
    columnsLead: string
    column: string
    sample: string
    field: string
    fieldOf: (values: { title: Value }) => string
    noTitle: string
    unknownField: (values: { name: Value }) => string
    unitOf: (values: { title: Value }) => string
    unitOpen: string
    unitMissing: string
    unitBeside: (values: { title: Value }) => string
    units: {
      "%": string
      fraction: string
      in: string
      lb: string
      oz: string
      t: string
      months: string
      years: string
    }
    missing: (values: { fields: Value }) => string
    missingColumns: (values: { fields: Value }) => string
    same: string
    sameLead: string
    companyOffer: string
    companyUse: string
    companyHint: string
    sameLanguage: string
    sameReach: string
    sameReaches: {
      missing: string
      all: string
    }
    sameOther: string
    sameOtherHint: string
    value: string
    answers: {
      true: string
      false: string
    }
    skuFromGtin: string
    neverSame: (values: { field: Value }) => string
    matchBy: string
    matches: {
      sku: string
      gtin: string
    }
    matchReasons: {
      sku: string
      gtin: string
    }
    matchHint: string
    mark: string
    marks: {
      point: string
      comma: string
    }
    markOpen: string
    markMissing: string
    markExample: (values: { title: Value; example: Value; point: Value; comma: Value }) => string
    clears: string
    clearing: {
      keep: string
      remove: string
    }
    changeType: string
    changeTypes: {
      change: string
      correction: string
    }
    check: string
    discard: string
    checking: (values: { count: number; done: Value }) => string
    running: (values: { count: number; done: Value }) => string
    goesOn: string
    picturesColumn: string
    fetching: (values: { done: Value; all: Value }) => string
    withoutPictures: string
    withoutPicturesLead: (values: { count: number }) => string
    toFetch: (values: { count: number }) => string
    pictureErrors: {
      malformed: (values: { address: Value }) => string
      not_public: (values: { address: Value }) => string
      unknown: (values: { address: Value }) => string
      too_many: (values: { count: Value }) => string
      not_found: (values: { address: Value }) => string
      status: (values: { address: Value }) => string
      no_answer: (values: { address: Value }) => string
      no_picture: (values: { address: Value }) => string
      too_large: (values: { address: Value }) => string
      damaged: (values: { address: Value }) => string
      no_room: (values: { address: Value }) => string
      other: (values: { address: Value }) => string
    }
    stop: string
    checked: string
    done: string
    stopped: (values: { count: number; done: Value }) => string
    outcomes: {
      will: {
        created: string
        updated: string
        unchanged: string
        drafted: string
        failed: string
      }
      has: {
        created: string
        updated: string
        unchanged: string
        drafted: string
        failed: string
      }
    }
    run: (values: { count: number }) => string
    runAndKeep: (values: { count: number; run: Value }) => string
    keepOnly: (values: { count: number }) => string
    lacking: string
    lackingLead: (values: { count: number }) => string
    lackingThere: (values: { count: number }) => string
    draftRoom: (values: { most: Value; room: Value }) => string
    draftsFull: (values: { most: Value }) => string
    draftErrors: {
      full: (values: { most: Value }) => string
      taken: string
      exists: string
    }
    toDrafts: string
    warnings: string
    warningsLead: string
    warnedRows: (values: { rows: Value; numbers: Value }) => string
    marked: string
    markedLead: (values: { count: number }) => string
    markedPlain: (values: { count: number }) => string
    markedBefore: string
    markedAfter: string
    makePlain: string
    keepMarkup: string
    unitErrors: {
      unknown: (values: { unit: Value; units: Value }) => string
      none: (values: { unit: Value }) => string
      one: (values: { own: Value; unit: Value }) => string
    }
    nothingToRun: string
    quota: (values: { count: number; fits: Value; all: Value }) => string
    room: (values: { count: number; room: Value }) => string
    names: (values: { count: number }) => string
    nameKinds: {
      exact: (values: { name: Value }) => string
      similar: (values: { name: Value }) => string
      unknown: string
    }
    changed: string
    changesTable: string
    changedLead: string
    product: string
    before: string
    after: string
    nothing: string
    moreValues: (values: { n: Value }) => string
    newProducts: string
    newProductsLead: string
    newProductsTable: string
    rowOf: (values: { row: Value }) => string
    confirm: (values: { count: number }) => string
    confirmMissing: string
    previous: string
    next: string
    pageOf: (values: { page: Value; last: Value }) => string
    mistakeKinds: string
    allMistakes: string
    badRowsQuota: string
    repeated: string
    changeColumns: string
    badRows: string
    badRowsLead: string
    row: string
    what: string
    errorFile: {
      xlsx: string
      csv: string
    }
    errorSheet: string
    toProducts: string
    another: string
    exportTitle: string
    exportLead: string
    status: string
    statuses: {
      all: string
      active: string
      archived: string
    }
    q: string
    allData: string
    toExport: string
    toImport: string
    products: string
    fields: string
    heads: {
      column: string
      label: string
      required: string
      values: string
      meaning: string
    }
    yes: string
    busy: string
    twice: (values: { row: Value }) => string
    variant: (values: { row: Value }) => string
    found: (values: { count: Value }) => string
    twoColumns: (values: { field: Value }) => string
    noKey: (values: { field: Value }) => string
    noColumn: string
    emptyCell: string
    shares: string
    damages: {
      exponent: string
      digits: string
      formula: string
      formula_error: string
      hashes: string
    }
    faults: {
      empty: string
      no_rows: string
      no_header: string
      too_large: string
      too_much: string
      too_many_rows: string
      too_many_columns: string
      too_long: string
      broken: string
      quotes: string
      old_excel: string
      other_zip: string
      not_text: string
      encoding: string
      markup: string
    }
    pagesOfChanges: string
    pagesOfErrors: string
    refusals: {
      plan_limit: string
      archived: string
      version_conflict: string
      unavailable: string
    }
    refused: string
  }
  developer: {
    developer: string
    lead: string
    keysWhat: (values: { count: Value }) => string
    keysLink: string
    webhooks: string
    docsLink: string
    docsWhat: string
    webhooksLead: (values: { attempts: Value; hours: Value }) => string
    webhooksDocs: string
    ownersOnly: string
    none: string
    add: string
    addLead: string
    change: string
    changeTitle: string
    save: string
    addSubmit: string
    cancel: string
    back: string
    url: string
    urlHint: string
    description: string
    descriptionHint: string
    events: string
    allEvents: string
    eventNames: {
      "product.created": string
      "product.updated": string
      "product.archived": string
      "product.restored": string
      "product.recalled": string
      "product.recall_ended": string
      "product.event_added": string
      "scan.milestone": string
      "scan.clone_suspected": string
    }
    states: {
      active: string
      paused: string
      disabled: string
    }
    failing: string
    failingSince: string
    reasons: {
      gone: string
      failing: string
    }
    offLead: (values: { reason: Value }) => string
    pausedLead: string
    failingLead: (values: { since: Value }) => string
    leftInPeace: (values: { until: Value }) => string
    created: string
    lastDelivery: string
    never: string
    pause: string
    resume: string
    switchOn: string
    test: string
    testHint: string
    testResult: (values: { result: Value }) => string
    secret: string
    secretLead: string
    rotate: string
    rotateTitle: string
    rotateLead: string
    rotateAgain: string
    rotateSubmit: string
    overlap: (values: { until: Value }) => string
    activated: (values: { until: Value }) => string
    activate: string
    shownTitle: string
    shownLead: string
    shownRotated: (values: { until: Value }) => string
    shownDone: string
    remove: string
    removeTitle: string
    removeLead: string
    removeSubmit: string
    keep: string
    log: string
    logLead: string
    logNone: string
    older: string
    newest: string
    ms: (values: { n: Value }) => string
    attempt: (values: { n: Value }) => string
    next: (values: { time: Value }) => string
    noNext: string
    answer: string
    details: (values: { event: Value; time: Value }) => string
    more: string
    messageId: string
    resend: string
    resent: string
    resentHeld: string
    nothingToResend: string
    replay: string
    replayLead: string
    replaySince: string
    replaySubmit: string
    replayed: (values: { count: number }) => string
    replayedHeld: (values: { count: number }) => string
    timeWrong: string
    delivered: string
    answered: (values: { status: Value }) => string
    outcomes: {
      address_refused: string
      dns: string
      connect_timeout: string
      connection_refused: string
      unreachable: string
      tls: string
      connection_closed: string
      timeout: string
      protocol: string
      stopped: string
    }
    urlFaults: {
      length: string
      scheme: string
      characters: string
      credentials: string
      invalid: string
      fragment: string
      spelling: string
      this_machine: (values: { host: Value }) => string
      forbidden: (values: { host: Value }) => string
    }
    tooMany: (values: { most: Value }) => string
    homeOff: (values: { url: Value }) => string
    homeOffLink: string
    webhookCount: (values: { count: Value }) => string
    webhookCountOff: (values: { count: Value; off: Value }) => string
    replayedNone: string
    filter: string
    filters: {
      all: string
      chosen: string
    }
    eventsMissing: string
    eventsTooMuch: string
    resultLater: string
    showResult: string
  }
  settings: {
    title: string
    back: string
    account: string
    operator: string
    you: string
    name: string
    nameHint: string
    rename: string
    ownersOnly: string
    places: {
      people: {
        name: string
        hint: string
      }
      links: {
        name: string
        hint: string
      }
      brand: {
        name: string
        hint: string
      }
      offers: {
        name: string
        hint: string
      }
      keys: {
        name: string
        hint: string
      }
      readiness: {
        name: string
        hint: string
      }
      audience: {
        name: string
        hint: string
      }
      identity: {
        name: string
        hint: string
      }
      signatures: {
        name: string
        hint: string
      }
      requests: {
        name: string
        hint: string
      }
      registry: {
        name: string
        hint: string
      }
      audit: {
        name: string
        hint: string
      }
      data: {
        name: string
        hint: string
      }
      password: {
        name: string
        hint: string
      }
      passkeys: {
        name: string
        hint: string
      }
      sessions: {
        name: string
        hint: string
      }
    }
    engines: string
    enginesOn: string
    enginesOff: string
    enginesTurnOn: string
    enginesTurnOff: string
  }
  people: {
    title: string
    lead: string
    you: string
    notYet: string
    role: string
    since: (values: { date: Value }) => string
    change: string
    leave: string
    invite: string
    inviteHint: string
    inviteHintShown: string
    inviteSubmit: string
    inviteMany: string
    isMember: string
    invited: (values: { email: Value; role: Value }) => string
    invitedSilently: (values: { email: Value; role: Value }) => string
    inviteVouched: string
    invitationShown: (values: { email: Value }) => string
    invitationShownLead: (values: { role: Value }) => string
    invitationLink: string
    invitationDone: string
    inviteAgain: string
    inviteAgainLead: string
    invitedAgain: (values: { email: Value }) => string
    inviteAgainShown: string
    inviteAgainLeadShown: string
    invitedElsewhere: string
    endSessionsOf: string
    endSessionsLead: string
    sessionsEndedOf: (values: { email: Value }) => string
    notInvited: string
    saveRole: string
    lastOwner: string
    remove: string
    removeTitle: (values: { email: Value }) => string
    removeLead: string
    removeSubmit: string
    leaveTitle: (values: { account: Value }) => string
    leaveLead: string
    leaveSubmit: string
    keep: string
    onlySelf: string
    roleHint: string
  }
  sessions: {
    title: string
    lead: string
    thisOne: string
    begun: string
    lastUsed: string
    now: string
    aboutHour: (values: { time: Value }) => string
    inAccount: string
    endOne: string
    endOthers: string
    sessionOf: (values: { time: Value }) => string
  }
  password: {
    title: string
    lead: string
    current: string
    new: string
    submit: string
    wrong: string
    done: string
    signedInWith: (values: { email: Value }) => string
  }
  passkeys: {
    title: string
    lead: string
    none: string
    unavailable: (values: { address: Value }) => string
    neverUsed: string
    lastUsed: (values: { time: Value }) => string
    added: (values: { date: Value }) => string
    add: string
    name: string
    nameHint: string
    passwordHint: string
    next: string
    confirmTitle: string
    confirmLead: string
    askAgain: string
    cancelled: string
    known: string
    unsupported: string
    wrongHost: (values: { address: Value }) => string
    refused: string
    full: (values: { max: Value }) => string
    rename: string
    remove: string
    removeTitle: (values: { name: Value }) => string
    removeLead: string
  }
  accessLinks: {
    title: string
    lead: string
    none: string
    ended: (values: { count: Value }) => string
    endedMore: (values: { shown: Value; all: Value }) => string
    audiences: {
      legitimate_interest: string
      authority: string
    }
    audience: string
    scope: string
    scopes: {
      product: string
      all: (values: { count: number }) => string
    }
    scopeNow: (values: { count: number }) => string
    scopeUnits: (values: { batches: Value; items: Value }) => string
    productMissing: string
    productTooMuch: string
    product: string
    productHint: string
    productUnknown: string
    allProducts: string
    label: string
    labelHint: string
    ends: string
    endsHint: string
    endsWrong: string
    new: string
    create: string
    uses: string
    used: (values: { count: number; time: Value }) => string
    unused: string
    created: string
    createdBy: (values: { date: Value; who: Value }) => string
    until: string
    revoke: string
    expired: (values: { date: Value }) => string
    revoked: (values: { date: Value }) => string
    shownTitle: string
    shownLead: string
    link: string
    token: string
    tokenHint: string
    done: string
    revokeTitle: (values: { label: Value }) => string
    revokeLead: string
  }
  audience: {
    title: string
    lead: string
    now: {
      contract: string
      law: string
    }
    switchTo: {
      contract: string
      law: string
    }
    submit: {
      contract: string
      law: string
    }
    field: string
    fieldOf: (values: { field: Value; category: Value }) => string
    shownTo: string
    hiddenFrom: string
    passports: string
    nobody: string
    readers: {
      public: string
      legitimate_interest: string
      authority: string
    }
    moreThan: (values: { count: Value }) => string
    uncounted: string
    points: readonly string[]
    done: string
  }
  registry: {
    title: string
    lead: string
    isOn: string
    isOff: string
    pointsOff: readonly string[]
    states: {
      none: string
      incomplete: string
      ready: string
      exported: string
      submitted: string
      pending: string
      registered: string
      rejected: string
      deactivated: string
    }
    where: string
    nothing: string
    missing: string
    missingLead: string
    backupUrl: string
    products: (values: { count: number }) => string
    shownProducts: (values: { what: Value }) => string
    shownFirst: (values: { count: Value }) => string
    noneShown: string
    expiring: string
    expiringLead: (values: { count: number }) => string
    expiringFirst: (values: { day: Value }) => string
    until: (values: { day: Value }) => string
    download: string
    downloadLead: (values: { count: number }) => string
    downloadNone: string
    state: string
    format: string
    formats: {
      jsonl: string
      csv: string
    }
    submitDownload: string
    results: string
    resultsLead: (values: { bytes: Value }) => string
    file: string
    submitResults: string
    outcome: (values: { stored: Value; unchanged: Value; failed: Value }) => string
    row: (values: { row: Value; sentence: Value }) => string
    fileMissing: string
    fileLarge: (values: { size: Value; most: Value }) => string
    fileFormat: (values: { most: Value }) => string
    settings: string
    switchOn: string
    switchOff: string
    copies: string
    copiesHint: string
    save: string
    done: {
      on: string
      off: string
      copies: string
    }
    errors: {
      length: string
      https: string
      characters: string
      slash: string
      same: string
    }
    ownersOnly: string
  }
  identity: {
    title: string
    lead: string
    verified: string
    is: string
    isNot: string
    isNotMeans: string
    isNotFor: string
    since: string
    by: string
    request: string
    none: string
    open: (values: { at: Value }) => string
    declined: (values: { at: Value; reason: Value }) => string
    ask: string
    askForChange: string
    replace: string
    withdraw: string
    ownersAsk: string
    done: string
    withdrawn: string
    question: string
    requestLead: string
    fields: {
      legal_name: string
      gln: string
      lei: string
      vat: string
      eori: string
      gs1_prefix: string
      host: string
      did: string
    }
    hints: {
      legal_name: string
      gln: string
      lei: string
      vat: string
      eori: string
      gs1_prefix: string
      host: string
      did: string
    }
    note: string
    noteHint: string
    noteLong: (values: { most: Value }) => string
    submit: string
    keep: string
    tooMany: string
    wrong: {
      gln: string
      lei: string
      vat: string
      eori: string
      gs1_prefix: string
      host: string
      did: string
    }
  }
  verificationRequests: {
    title: string
    lead: string
    open: string
    none: string
    asker: (values: { account: Value; name: Value; at: Value }) => string
    question: (values: { name: Value }) => string
    asked: string
    note: string
    current: string
    nothing: string
    conflicts: string
    noConflicts: string
    takenLead: string
    taken: (values: { wanted: Value; name: Value; account: Value }) => string
    claimsLead: string
    claim: (values: { claim: Value; account: Value }) => string
    more: (values: { count: Value }) => string
    approve: string
    approveMeans: string
    cannot: string
    submitApproval: string
    decline: string
    reason: string
    reasonHint: string
    submitDecline: string
    done: {
      approved: string
      declined: string
      gone: string
    }
  }
  signatures: {
    title: string
    lead: string
    signing: string
    isOn: string
    isOff: string
    pointsOn: readonly string[]
    pointsOff: readonly string[]
    switchOn: string
    switchOff: string
    unreadable: string
    identity: string
    identityLead: string
    did: string
    document: string
    keys: string
    state: string
    states: {
      signing: string
      waiting: string
      old: string
      revoked: (values: { date: Value }) => string
    }
    made: string
    rotate: string
    revoke: string
    rotateTitle: string
    rotatePoints: readonly string[]
    revokeTitle: (values: { name: Value }) => string
    revokeLead: string
    revokePoints: readonly string[]
    revokeSubmit: string
    keep: string
    done: {
      on: string
      off: string
      rotated: string
      revoked: string
    }
  }
  readinessSettings: {
    title: string
    lead: string
    done: string
    acts: string
    always: (values: { acts: Value }) => string
    actHints: {
      "fr.agec.textile": string
      "eu.registry": string
      "fr.agec.furniture": string
    }
    company: string
    askedBy: (values: { acts: Value }) => string
    parameters: {
      eudr_role: {
        label: string
        hint: string
      }
      small_undertaking: {
        label: string
        hint: string
      }
      turnover_above_10m_and_10000_units: {
        label: string
        hint: string
      }
    }
    values: {
      operator: string
      first_downstream: string
      later: string
    }
    gate: string
    gateLead: string
    gateModes: {
      off: {
        label: string
        hint: string
      }
      drafts: {
        label: string
        hint: string
      }
      everything: {
        label: string
        hint: string
      }
    }
    gateActs: string
    gateActsHint: string
    gateNeedsActs: string
    gatePoints: readonly string[]
    save: string
    see: string
  }
  audit: {
    title: string
    lead: string
    none: string
    older: string
    newest: string
    kinds: {
      api_key: string
      person: string
      operator: string
      service: string
    }
    operator: string
  }
  closeAccount: {
    title: string
    hint: string
    question: (values: { name: Value }) => string
    lead: string
    points: readonly string[]
    type: (values: { name: Value }) => string
    wrong: string
    submit: string
    data: string
  }
  dataDownload: {
    title: string
    lead: string
    inIt: string
    inItPoints: readonly string[]
    notInIt: string
    whole: string
    wholeLead: string
    wholePoints: readonly string[]
    format: string
    password: string
    passwordHint: string
    submit: string
    busy: string
  }
  auditActions: {
    account_set_up: string
    account_created: string
    account_renamed: string
    account_closed: string
    account_reopened: string
    account_export_started: string
    account_exported: string
    plan_changed: string
    indexing_changed: string
    person_added: string
    person_invited_again: string
    person_removed: string
    role_changed: string
    password_link_made: string
    password_link_asked: string
    browser_link_asked: string
    browser_link_made: string
    browser_made_known: string
    password_set: string
    password_changed: string
    passkey_added: string
    passkey_renamed: string
    passkey_removed: string
    signed_in: string
    sign_in_failed: string
    sessions_ended: string
    sessions_ended_by_owner: string
    key_created: string
    key_rotated: string
    key_revoked: string
    brand_changed: string
    offer_added: string
    offer_changed: string
    offer_deleted: string
    file_deleted: string
    file_withdrawn: string
    withdrawal_asked: string
    webhook_added: string
    webhook_changed: string
    webhook_paused: string
    webhook_resumed: string
    webhook_removed: string
    webhook_secret_rotated: string
    webhook_secret_activated: string
    webhook_tested: string
    webhook_events_sent_again: string
    webhook_switched_off: string
    access_link_created: string
    access_link_revoked: string
    import_started: string
    import_done: string
    import_stopped: string
    product_archived: string
    product_restored: string
    product_recalled: string
    recall_changed: string
    recall_ended: string
    event_corrected: string
    gtin_released: string
    dpp_id_released: string
    scans_switched: string
    readiness_changed: string
    audience_profile_changed: string
    signing_switched_on: string
    signing_switched_off: string
    signing_key_rotated: string
    signing_key_revoked: string
    registry_switched_on: string
    registry_switched_off: string
    backup_url_changed: string
    credential_revoked: string
    account_verified: string
    verification_withdrawn: string
    verification_asked: string
    verification_declined: string
    verification_request_withdrawn: string
    verification_request_approved: string
    verification_request_declined: string
    operator_account_on: string
    operator_account_off: string
  }
  brand: {
    link: string
    title: string
    lead: string
    viewersOnly: string
    preview: string
    previewNone: string
    saved: string
    look: string
    name: string
    nameHint: string
    accent: string
    accentHint: string
    picker: string
    tryIt: string
    adjusted: string
    adjustedLead: (values: { least: Value }) => string
    onLight: string
    onDark: string
    contrast: (values: { ratio: Value }) => string
    asGiven: string
    adjustedFrom: string
    trying: string
    sample: string
    frames: string
    framesHint: string
    save: string
    logos: string
    logosLead: (values: { bytes: Value; side: Value }) => string
    logo: string
    logoDark: string
    logoDarkHint: string
    none: string
    size: (values: { width: Value; height: Value }) => string
    remove: string
    removeDark: string
    upload: string
    errors: {
      nameLength: (values: { most: Value }) => string
      nameFormat: string
      accent: string
      frames: (values: { wrong: Value }) => string
      framesMax: (values: { most: Value }) => string
      logoFormat: string
      logoBytes: (values: { size: Value; most: Value }) => string
      logoDrawing: (values: { most: Value }) => string
      logoSide: (values: { most: Value }) => string
      logoBoth: string
    }
  }
  story: {
    title: string
    lead: string
    none: string
    add: string
    edit: string
    languages: string
    linksNow: string
    picture: string
    pictureHint: string
    noPicture: string
    noPictures: string
    links: string
    url: (values: { n: Value }) => string
    urlHint: string
    textsIn: string
    language: string
    text: string
    textHint: (values: { max: Value }) => string
    label: (values: { n: Value }) => string
    alt: string
    altHint: string
    more: string
    save: string
    removeHint: string
    usedInBlock: string
    usedShort: string
    errors: {
      repeated: string
      url: string
      labelMissing: string
      altMissing: string
      picture: string
    }
  }
  records: {
    languages: string
    textsIn: string
    language: string
    more: string
    everywhere: string
    edit: string
    delete: string
    errors: {
      countries: (values: { wrong: Value }) => string
      repeated: string
      url: string
      whole: (values: { min: Value; max: Value }) => string
      day: string
    }
  }
  offers: {
    title: string
    lead: string
    none: string
    add: string
    addTitle: string
    editTitle: string
    full: (values: { most: Value }) => string
    saved: string
    deleted: string
    scope: string
    allProducts: string
    save: string
    deleteTitle: (values: { title: Value }) => string
    deleteLead: string
    preview: string
    previewLead: string
    previewCountry: string
    previewUnknown: string
    previewShow: string
    previewFirst: string
    previewOthers: string
    previewOpen: string
    members: {
      kind: string
      category: string
      product_id: string
      countries: string
      title: string
      text: string
      url: string
      position: string
    }
    hints: {
      kind: string
      category: string
      product_id: string
      countries: string
      title: string
      text: string
      url: string
      position: string
    }
    both: string
  }
  failures: {
    gone: string
    redirect: (values: { status: Value }) => string
    status: (values: { status: Value }) => string
    address_refused: string
    address_refused_address: (values: { address: Value }) => string
    address_refused_name: (values: { name: Value }) => string
    dns: string
    dns_name: (values: { name: Value }) => string
    connect_timeout: string
    connection_refused: string
    unreachable: string
    tls: string
    tls_reason: (values: { reason: Value }) => string
    connection_closed: string
    connection_closed_reason: (values: { reason: Value }) => string
    timeout: string
    protocol: string
    stopped: string
  }
  problems: {
    missing: string
    missing_in: string
    missing_one_of: (values: { parent: Value; names: Value }) => string
    missing_soon: string
    unknown_in: (values: { parent: Value; names: Value }) => string
    unknown_in_meant: (values: { parent: Value; meant: Value }) => string
    unknown: string
    unknown_meant: (values: { meant: Value }) => string
    unknown_kept: string
    unknown_kept_meant: (values: { meant: Value }) => string
    now_known: string
    key: string
    key_control: (values: { character: Value; position: Value }) => string
    key_half: string
    deep: (values: { most: Value }) => string
    control: (values: { character: Value; position: Value }) => string
    half: string
    type: (values: { wanted: Value; kind: Value }) => string
    type_quoted: (values: { wanted: Value; kind: Value }) => string
    null: string
    null_needed: string
    infinite: string
    blank: string
    blank_needed: string
    long: (values: { count: Value; most: Value }) => string
    one_of: (values: { values: Value }) => string
    one_of_meant: (values: { meant: Value; values: Value }) => string
    below: (values: { found: Value; limit: Value; unit: Value }) => string
    above: (values: { found: Value; limit: Value; unit: Value }) => string
    no_entries: string
    no_texts: string
    many_entries: (values: { count: Value; most: Value }) => string
    many_languages: (values: { count: Value; most: Value }) => string
    repeated: (values: { language: Value }) => string
    sum: (values: { sum: Value }) => string
    no_primary: (values: { language: Value }) => string
    gtin: string
    gtin_meant: (values: { meant: Value }) => string
    gtin_digit: string
    gtin_zeros: string
    gtin_restricted: (values: { prefix: Value }) => string
    gtin_upc_e: (values: { prefix: Value; meant: Value }) => string
    gtin_coupon: (values: { prefix: Value }) => string
    gtin_unused: (values: { prefix: Value }) => string
    gtin_publication: (values: { prefix: Value }) => string
    gtin_unlisted: (values: { prefix: Value }) => string
    gtin_package: (values: { prefix: Value; meant: Value }) => string
    gtin_variable: string
    gln: string
    eori: string
    cas: string
    ec_number: string
    sha256: string
    media_id: string
    cn_or_hs: string
    country: string
    country_meant: (values: { meant: Value }) => string
    country_kosovo: string
    language: string
    language_meant: (values: { meant: Value }) => string
    url_long: (values: { most: Value }) => string
    url: string
    link_private: string
    link_hidden: string
    email: string
    date: string
    carbon_class: string
    fibre_synonym: (values: { fibre: Value; found: Value }) => string
    fibre_qualified: (values: { fibre: Value; found: Value }) => string
    fibre_similar: (values: { fibre: Value; found: Value }) => string
    fibre_unlisted: (values: { found: Value }) => string
    language_unlisted: (values: { found: Value }) => string
    language_unlisted_meant: (values: { found: Value; meant: Value }) => string
    invisible: string
    invisible_sku: string
    markup: (values: { found: Value }) => string
    gtin_taken: string
    gtin_own: (values: { id: Value }) => string
    gtin_reserved: string
    gtin_own_before: (values: { id: Value }) => string
    gtin_borne: (values: { id: Value; gtin: Value }) => string
    sku_shared: (values: { sku: Value; ids: Value }) => string
    row_twice: (values: { key: Value }) => string
    other_category: (values: { category: Value }) => string
    unknown_picture: string
    unknown_document: string
    withdrawn_file: string
    unstorable: string
  }
  kinds: {
    text: string
    number: string
    boolean: string
    object: string
    list: string
    texts: string
  }
  chooseYesOrNo: string
  problemCodes: {
    required: string
    type: string
    enum: string
    format: string
    pattern: string
    min: string
    max: string
    length: string
    unknown_field: string
    sum_not_100: string
    gtin_check_digit: string
    special_gtin: string
    country_code: string
    language_code: string
    primary_language_missing: string
    duplicate: string
    immutable: string
    lot_taken: string
    serial_taken: string
    idempotency_key_reused: string
    plan_limit: string
    not_found: string
    synonym: string
    unlisted_name: string
    unlisted_language: string
    invisible: string
    markup: string
    no_link: string
    now_known: string
    counter_falls: string
    not_ready: string
    unknown_media: string
    media_type: string
    media_too_large: string
    media_dimensions: string
    media_unreadable: string
    media_active_content: string
    media_withdrawn: string
  }
  emails: {
    resetSubject: string
    reset: (values: { publicUrl: Value; link: Value }) => string
    browserSubject: string
    browser: (values: { publicUrl: Value; link: Value }) => string
    invitationSubject: string
    invitationNew: (values: { by: Value; account: Value; publicUrl: Value; role: Value; link: Value }) => string
    invitationKnown: (values: { by: Value; account: Value; publicUrl: Value; role: Value; link: Value }) => string
    verificationSubject: string
    verification: (values: { account: Value; publicUrl: Value }) => string
  }
  shop: {
    title: string
    lead: string
    image: string
    images: {
      qr: string
      badge: string
    }
    preview: string
    language: string
    product: string
    productHint: string
    productWrong: string
    show: string
    snippet: string
  }
}

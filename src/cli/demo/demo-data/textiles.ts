/** Demo textiles: plant fibres here, wool and rainwear beside them. */
import { LIN_DE_BRUME, TALLYBROOK } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'
import { RAIN_JACKET } from './textiles-rain.ts'
import { MERINO_BASE_LAYER, WOOL_COAT } from './textiles-wool.ts'

const T_SHIRT: DemoPassport = {
  category: 'textile',
  data: {
    productName: 'Heavy Organic Cotton T-Shirt',
    sku: 'TB-TEE-220-ECRU',
    brandName: 'Tallybrook',
    gtin: '9521001200370',
    commodityCode: '61091000',
    economicOperator: TALLYBROOK,
    languages: ['en', 'de', 'fr', 'pt'],
    fiberComposition: [{ fiber: 'cotton', percentage: 100 }],
    recycledContentPercentage: 0,
    countryOfManufacture: 'TR',
    supplyChainStages: [
      { stage: 'spinning', country: 'TR', facilityName: 'Menderova İplik', facilityId: '9521000230002' },
      { stage: 'knitting', country: 'TR', facilityName: 'Menderova Örme', facilityId: '9521000240001' },
      { stage: 'dyeing', country: 'TR', facilityName: 'Akpınar Renk' },
      { stage: 'assembly', country: 'TR', facilityName: 'Akpınar Konfeksiyon', facilityId: '9521000250000' },
    ],
    careInstructions: {
      en: 'Wash at 30 °C with like colours, inside out; 60 °C does no harm when needed. Pull into shape and line dry in the shade. The jersey shrinks by about 3 % in the first wash and then stays. Iron on the reverse at medium heat.',
      de: 'Bei 30 °C auf links mit ähnlichen Farben waschen; 60 °C schaden nicht, wenn es nötig ist. In Form ziehen und im Schatten aufhängen. Der Jersey läuft bei der ersten Wäsche um etwa 3 % ein und bleibt dann so. Auf links mit mittlerer Hitze bügeln.',
      fr: 'Laver à 30 °C à l’envers avec des couleurs proches ; 60 °C ne lui nuit pas si nécessaire. Remettre en forme et sécher sur fil à l’ombre. Le jersey rétrécit d’environ 3 % au premier lavage, puis ne bouge plus. Repasser à l’envers à fer moyen.',
      pt: 'Lavar a 30 °C do avesso com cores semelhantes; 60 °C não a estraga se for preciso. Dar forma e secar à sombra. A malha encolhe cerca de 3 % na primeira lavagem e depois mantém-se. Passar do avesso com ferro médio.',
    },
    repair: {
      repairable: true,
      sparePartsAvailable: false,
      instructions: {
        en: 'An open seam: turn the shirt inside out, pin the edges together and sew along the old holes with cotton thread and a ballpoint needle, in a small zigzag so that the seam can stretch. A small hole: iron a patch of old jersey behind it with adhesive web, then stitch round the edge.',
        de: 'Offene Naht: Shirt auf links drehen, Kanten feststecken und mit Baumwollgarn und Jerseynadel in kleinem Zickzack entlang der alten Löcher nähen, damit die Naht dehnbar bleibt. Kleines Loch: ein Stück alten Jersey mit Klebevlies dahinter bügeln und den Rand umnähen.',
        fr: 'Couture ouverte : retourner le t-shirt, épingler les bords et coudre le long des anciens trous au fil de coton, aiguille jersey, en petit zigzag pour garder l’élasticité. Petit trou : thermocoller un morceau de vieux jersey derrière, puis coudre le contour.',
      },
    },
    endOfLife: {
      recyclingInstructions: {
        en: 'Wearable: give it away or sell it. Worn out: cut it into cleaning cloths first, then put it clean and dry into a textile bank. It is one fibre with cotton thread throughout, so it can be recycled as it is; only the neck label must be cut off.',
        de: 'Noch tragbar: weitergeben oder verkaufen. Verschlissen: erst zu Putzlappen schneiden, danach sauber und trocken in den Altkleidercontainer. Es besteht samt Nähgarn aus einer einzigen Faser und lässt sich so recyceln; nur das Etikett im Nacken abschneiden.',
        fr: 'Encore portable : le donner ou le vendre. Usé : en faire d’abord des chiffons, puis le déposer propre et sec dans une borne textile. Tout est en coton, fil compris, donc recyclable tel quel ; couper seulement l’étiquette du col.',
        pt: 'Ainda usável: dar ou vender. Gasta: fazer primeiro panos de limpeza e depois colocá-la limpa e seca num contentor de têxteis. É toda de algodão, linha incluída, e recicla-se tal como está; cortar apenas a etiqueta do decote.',
      },
      disposalInstructions: {
        en: 'Rags soiled with oil, paint or solvent go to the hazardous waste point: they can ignite by themselves. Anything else too dirty to recycle goes into residual waste.',
        de: 'Mit Öl, Farbe oder Lösemittel getränkte Lappen zur Schadstoffsammlung bringen: Sie können sich selbst entzünden. Sonst zu Schmutziges in den Restmüll.',
        fr: 'Les chiffons imbibés d’huile, de peinture ou de solvant vont en déchèterie : ils peuvent s’enflammer seuls. Le reste, s’il est trop sale, va avec les ordures ménagères.',
      },
    },
    durability: {
      testResults: 'Bursting strength 610 kPa (EN ISO 13938-2). Spirality after 5 washes: 2 % (ISO 16322-2).',
    },
    carbonFootprint: 4.1,
    waterFootprint: 1870,
    weightGrams: 228,
    complianceDocuments: [
      {
        type: 'Organic fibre transaction certificate',
        url: 'https://files.tallybrook.example/tee-220/tc-2026.pdf',
      },
      {
        type: 'Azo dye test report (EN ISO 14362-1)',
        url: 'https://files.tallybrook.example/tee-220/azo.pdf',
      },
    ],
  },
  batches: [
    { lot: 'TB26-031' },
    {
      lot: 'TB26-044',
      data: {
        countryOfManufacture: 'PT',
        supplyChainStages: [
          { stage: 'spinning', country: 'TR', facilityName: 'Menderova İplik', facilityId: '9521000230002' },
          { stage: 'knitting', country: 'PT', facilityName: 'Malhas do Selho', facilityId: '9521000260009' },
          { stage: 'dyeing', country: 'PT', facilityName: 'Tinturaria do Selho' },
          { stage: 'assembly', country: 'PT', facilityName: 'Confeções Vilarelho' },
        ],
        carbonFootprint: 3.2,
      },
      items: [{ serial: 'TB26-044-0001' }, { serial: 'TB26-044-0002' }],
    },
  ],
  corrections: [
    {
      note: 'Water figure was typed with two digits swapped (1870 instead of 1780).',
      change_type: 'correction',
      data: { waterFootprint: 1780 },
    },
  ],
}

const LINEN_SHEETS: DemoPassport = {
  category: 'textile',
  data: {
    productName: 'Parure de lit Caux, lin lavé 240 × 220',
    sku: 'LDB-CAUX-240-BRUME',
    brandName: 'Lin de Brume',
    gtin: '9521001201117',
    commodityCode: '63023920',
    economicOperator: LIN_DE_BRUME,
    languages: ['fr', 'en', 'nl', 'de'],
    fiberComposition: [{ fiber: 'flax', percentage: 100 }],
    countryOfManufacture: 'LT',
    supplyChainStages: [
      { stage: 'spinning', country: 'PL', facilityName: 'Przędzalnia Lnianka', facilityId: '9521000290006' },
      { stage: 'weaving', country: 'LT', facilityName: 'Linų Audykla Rasa', facilityId: '9521000300002' },
      { stage: 'finishing', country: 'LT', facilityName: 'Linų Audykla Rasa', facilityId: '9521000300002' },
      { stage: 'assembly', country: 'LT', facilityName: 'Siuvykla Ramunė' },
    ],
    careInstructions: {
      fr: 'Laver à 40 °C, à 60 °C en cas d’allergie, tambour à moitié plein : le lin a besoin d’eau. Pas d’adoucissant ni de chlore. Essorer à 800 tours et étendre encore bien humide, lissé à la main. Inutile de repasser. Il s’assouplit à chaque lavage.',
      en: 'Wash at 40 °C, or 60 °C for allergies, with the drum half full: linen needs water. No softener, no chlorine bleach. Spin at 800 rpm and hang while still quite damp, smoothed by hand. No ironing needed. It grows softer with each wash.',
      nl: 'Was op 40 °C, bij allergie op 60 °C, met een halfvolle trommel: linnen heeft water nodig. Geen wasverzachter, geen chloor. Centrifugeer op 800 toeren en hang het nog goed vochtig op, met de hand gladgestreken. Strijken hoeft niet. Het wordt bij elke wasbeurt zachter.',
      de: 'Bei 40 °C, bei Allergien bei 60 °C waschen, Trommel halb voll: Leinen braucht Wasser. Kein Weichspüler, kein Chlor. Mit 800 Touren schleudern und noch recht feucht, von Hand geglättet, aufhängen. Bügeln ist nicht nötig. Es wird mit jeder Wäsche weicher.',
    },
    repair: {
      repairable: true,
      sparePartsAvailable: true,
      instructions: {
        fr: 'Les boutons de la housse sont en corozo ; quatre de rechange sont dans le sachet. Drap usé au centre : le couper en long, coudre bord à bord les deux lisières et ourler les nouveaux côtés ; il repart pour des années.',
        en: 'The cover’s buttons are corozo nut; four spares are in the pouch. Sheet worn in the middle: cut it lengthwise, sew the two selvedges together edge to edge and hem the new sides; it will serve for years more.',
        nl: 'De knopen van de hoes zijn van steennoot; vier reserveknopen zitten in het zakje. Laken in het midden versleten: knip het in de lengte door, naai de zelfkanten tegen elkaar en zoom de nieuwe zijkanten; zo gaat het nog jaren mee.',
      },
    },
    endOfLife: {
      recyclingInstructions: {
        fr: 'Trop usé pour un lit : torchons et chiffons d’abord. Ensuite, propre et sec, en borne textile ; découdre les boutons et les garder. Le lin pur est effiloché pour du papier et des isolants.',
        en: 'Too worn for a bed: make tea towels and cloths first. After that, clean and dry, into a textile bank; unpick the buttons and keep them. Pure linen is pulled for paper and insulation.',
        nl: 'Te versleten voor een bed: maak er eerst theedoeken en poetsdoeken van. Daarna schoon en droog in de textielbak; haal de knopen eraf en bewaar ze. Zuiver linnen wordt vervezeld voor papier en isolatie.',
      },
      disposalInstructions: {
        fr: 'Le lin non teint, sans boutons, se composte coupé en bandes de 5 cm. Le lin teint trop sale va aux ordures ménagères.',
        en: 'Undyed linen without buttons can be composted, cut into 5 cm strips. Dyed linen that is too dirty goes into residual waste.',
        nl: 'Ongeverfd linnen zonder knopen kan in stroken van 5 cm op de composthoop. Geverfd linnen dat te vuil is, gaat bij het restafval.',
      },
    },
    durability: {
      testResults:
        'Résistance à la traction : chaîne 640 N, trame 590 N (EN ISO 13934-1). Abrasion : 30 000 cycles (EN ISO 12947-2).',
    },
    carbonFootprint: 13.6,
    waterFootprint: 520,
    weightGrams: 2350,
  },
  corrections: [
    {
      note: 'Label review: weight is that of the whole set including both pillowcases.',
      change_type: 'correction',
      data: { weightGrams: 2620 },
    },
  ],
}

/** The required core and nothing else: the shortest textile page. */
const SOCKS: DemoPassport = {
  category: 'textile',
  data: {
    productName: 'Skarpety frotté Łąka',
    sku: 'KOC-SK-3942',
    brandName: 'Kocanka',
    economicOperator: {
      role: 'manufacturer',
      legalName: 'Kocanka Dziewiarnia s.c.',
      address: 'ul. Pończosznicza 8, 91-050 Łódź',
      country: 'PL',
      contactEmail: 'biuro@kocanka.example',
    },
    languages: ['pl'],
    fiberComposition: [
      { fiber: 'cotton', percentage: 78 },
      { fiber: 'polyamide', percentage: 20 },
      { fiber: 'elastane', percentage: 2 },
    ],
    countryOfManufacture: 'PL',
    careInstructions: { pl: 'Prać w 40 °C na lewej stronie. Suszyć na powietrzu, nie na kaloryferze.' },
    repair: { repairable: true, sparePartsAvailable: false },
    endOfLife: {
      recyclingInstructions: { pl: 'Czyste i suche, związane w parę, wrzucić do pojemnika na tekstylia.' },
      disposalInstructions: { pl: 'Mocno zabrudzone wyrzucić do odpadów zmieszanych.' },
    },
  },
}

export const TEXTILES: readonly DemoPassport[] = [
  T_SHIRT,
  MERINO_BASE_LAYER,
  WOOL_COAT,
  LINEN_SHEETS,
  RAIN_JACKET,
  SOCKS,
]

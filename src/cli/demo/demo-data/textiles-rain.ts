/** A demo textile with substances of concern, units and a correction that concerns them. */
import { WETTERLOHE } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'

export const RAIN_JACKET: DemoPassport = {
  category: 'textile',
  data: {
    productName: 'Nebelhorn 3L Regenjacke',
    sku: 'WL-NBH3L-M-PETROL',
    brandName: 'Wetterlohe',
    gtin: '9521001201483',
    commodityCode: '62104000',
    economicOperator: WETTERLOHE,
    languages: ['de', 'en', 'fr', 'it', 'pl'],
    fiberComposition: [
      { fiber: 'polyamide', percentage: 33.3 },
      { fiber: 'polyurethane', percentage: 33.3 },
      { fiber: 'polyester', percentage: 33.4 },
    ],
    recycledContentPercentage: 58,
    countryOfManufacture: 'VN',
    supplyChainStages: [
      { stage: 'weaving', country: 'TW', facilityName: 'Lanyu Textile Works', facilityId: '9521000310001' },
      { stage: 'dyeing', country: 'TW', facilityName: 'Lanyu Textile Works', facilityId: '9521000310001' },
      {
        stage: 'finishing',
        country: 'DE',
        facilityName: 'Wetterlohe Laminierung',
        facilityId: '9521000050006',
      },
      { stage: 'assembly', country: 'VN', facilityName: 'May Mưa Garment', facilityId: '9521000320000' },
    ],
    careInstructions: {
      de: 'Alle Reißverschlüsse schließen. Bei 30 °C mit Flüssigwaschmittel für Membranen waschen, zweimal spülen, kein Weichspüler: Er verschließt die Poren. 20 Minuten bei niedriger Hitze in den Trockner oder mit Tuch bügeln, das weckt die Imprägnierung. Perlt Wasser nicht mehr ab, fluorfrei nachimprägnieren.',
      en: 'Close all zips. Wash at 30 °C with liquid detergent for membranes, rinse twice, no softener: it blocks the pores. Tumble dry for 20 minutes on low, or iron through a cloth, to revive the water repellency. When water no longer beads, re-proof with a fluorine-free product.',
      fr: 'Fermer tous les zips. Laver à 30 °C avec une lessive liquide pour membranes, rincer deux fois, sans adoucissant : il bouche les pores. 20 minutes de sèche-linge doux ou un fer sous un linge réactivent la déperlance. Si l’eau ne perle plus, réimperméabiliser sans fluor.',
      it: 'Chiudere tutte le cerniere. Lavare a 30 °C con detersivo liquido per membrane, due risciacqui, senza ammorbidente: ottura i pori. 20 minuti di asciugatrice a bassa temperatura o il ferro su un panno riattivano l’idrorepellenza. Se l’acqua non scivola più, trattare con un prodotto senza fluoro.',
    },
    repair: {
      repairable: true,
      sparePartsAvailable: true,
      instructions: {
        de: 'Riss bis 3 cm: Stelle mit Alkohol reinigen, Flicken aus der Innentasche rundschneiden, 1 cm überlappend aufkleben und 30 Sekunden mit dem Handballen anreiben. Schieber und Kordelstopper lassen sich ohne Nähen tauschen. Nahtband und Reißverschluss ersetzen wir zum Festpreis.',
        en: 'Tear up to 3 cm: clean with alcohol, round off the corners of the patch from the inner pocket, stick it on with 1 cm overlap and rub for 30 seconds with the heel of your hand. Zip pullers and cord locks can be changed without sewing. We replace seam tape and zips at a fixed price.',
        fr: 'Déchirure jusqu’à 3 cm : nettoyer à l’alcool, arrondir la pièce de la poche intérieure, coller avec 1 cm de recouvrement et frotter 30 secondes avec la paume. Curseurs et bloque-cordons se changent sans couture. Nous remplaçons bandes d’étanchéité et zips à prix fixe.',
      },
    },
    endOfLife: {
      recyclingInstructions: {
        de: 'Tragbar: weitergeben. Sonst an uns zurücksenden, Rücksendeschein auf unserer Seite: Wir trennen Reißverschlüsse und Kordeln ab. Das Laminat ist heute nur zu Dämmstoff verwertbar, deshalb lohnt die Reparatur mehr.',
        en: 'Wearable: pass it on. Otherwise send it back to us with the return note from our site: we cut off zips and cords. Today the laminate can only become insulation, so a repair is worth more.',
        fr: 'Encore portable : à donner. Sinon, nous la renvoyer avec le bon de retour de notre site : nous retirons zips et cordons. Le stratifié ne devient aujourd’hui que de l’isolant ; la réparer vaut mieux.',
        pl: 'Nadaje się do noszenia: oddaj ją dalej. Jeśli nie, odeślij do nas z etykietą zwrotną z naszej strony: odetniemy zamki i sznurki. Laminat można dziś przerobić tylko na izolację, więc naprawa opłaca się bardziej.',
      },
      disposalInstructions: {
        de: 'Wo es keine Sammlung gibt: Restmüll. Nicht in die Altkleidersammlung für reine Fasern und nicht verbrennen.',
        en: 'Where there is no collection: residual waste. Not into collections for single fibres, and do not burn it.',
        fr: 'Sans point de collecte : ordures ménagères. Ni dans les collectes de fibres pures, ni au feu.',
      },
    },
    substancesOfConcern: [
      {
        name: 'Octamethylcyclotetrasiloxane (D4)',
        casNumber: '556-67-2',
        concentrationRange: '0.1–0.2 % in the silicone cuff print',
      },
      { name: 'N,N-Dimethylformamide', casNumber: '68-12-2', concentrationRange: '< 0.1 % in the membrane' },
    ],
    durability: {
      testResults:
        'Wassersäule 20.000 mm, nach 20 Wäschen 15.000 mm (EN ISO 811). Wasserdampfdurchgangswiderstand 6,1 m²·Pa/W (EN ISO 11092). Spraytest nach 10 Wäschen: Note 4 (EN ISO 4920).',
      pefScore: 1.27,
    },
    carbonFootprint: 17.5,
    waterFootprint: 240,
    weightGrams: 412,
    complianceDocuments: [
      { type: 'PFAS-free declaration', url: 'https://dokumente.wetterlohe.example/nebelhorn/pfas.pdf' },
      {
        type: 'REACH Article 33 communication',
        url: 'https://dokumente.wetterlohe.example/nebelhorn/art33.pdf',
      },
    ],
  },
  batches: [
    {
      lot: 'NBH-2604',
      items: [{ serial: 'NBH2604-00017' }, { serial: 'NBH2604-00018' }, { serial: 'NBH2604-00019' }],
    },
    { lot: 'NBH-2609', data: { carbonFootprint: 16.9, recycledContentPercentage: 61 } },
  ],
  corrections: [
    {
      note: 'Laboratory found bisphenol S in the inner face; it had been missing from the list.',
      change_type: 'correction',
      data: {
        substancesOfConcern: [
          {
            name: 'Octamethylcyclotetrasiloxane (D4)',
            casNumber: '556-67-2',
            concentrationRange: '0.1–0.2 % in the silicone cuff print',
          },
          {
            name: 'N,N-Dimethylformamide',
            casNumber: '68-12-2',
            concentrationRange: '< 0.1 % in the membrane',
          },
          {
            name: "4,4'-Sulfonyldiphenol (bisphenol S)",
            casNumber: '80-09-1',
            concentrationRange: '0.1–0.3 % in the inner face',
          },
        ],
      },
    },
  ],
}

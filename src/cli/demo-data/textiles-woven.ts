/** Demo textiles made of woven cloth. */
import { CARDOFINO, LIN_DE_BRUME, WETTERLOHE } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'

const WOOL_COAT: DemoPassport = {
  category: 'textile',
  data: {
    productName: 'Cappotto Bisenzio in lana rigenerata',
    sku: 'CF-BIS-44-GRF',
    brandName: 'Cardofino',
    gtin: '9521001200745',
    commodityCode: '62022000',
    economicOperator: CARDOFINO,
    languages: ['it', 'en', 'fr', 'de'],
    fiberComposition: [
      { fiber: 'wool (recycled)', percentage: 72 },
      { fiber: 'wool', percentage: 8 },
      { fiber: 'polyamide', percentage: 20 },
    ],
    recycledContentPercentage: 72,
    countryOfManufacture: 'IT',
    supplyChainStages: [
      { stage: 'spinning', country: 'IT', facilityName: 'Filatura Rivocardo', facilityId: '9521000270008' },
      { stage: 'weaving', country: 'IT', facilityName: 'Lanificio Cardofino', facilityId: '9521000030008' },
      { stage: 'finishing', country: 'IT', facilityName: 'Rifinizione Gualchiera', facilityId: '9521000280007' },
      { stage: 'assembly', country: 'IT', facilityName: 'Sartoria Montalbino' },
    ],
    careInstructions: {
      it: 'Spazzolare dall’alto verso il basso dopo l’uso e appendere una notte all’aria su una gruccia larga. Tamponare subito le macchie con acqua fredda, senza strofinare. Lavaggio professionale a secco al massimo una volta a stagione. Stirare a vapore con un panno. D’estate riporre pulito in una custodia di cotone.',
      en: 'Brush downwards after wear and hang overnight in fresh air on a broad hanger. Dab stains at once with cold water, without rubbing. Professional dry cleaning once a season at most. Steam through a cloth. In summer store it clean in a cotton cover.',
      fr: 'Brosser de haut en bas après usage et suspendre une nuit à l’air sur un cintre large. Tamponner aussitôt les taches à l’eau froide, sans frotter. Nettoyage à sec professionnel une fois par saison au plus. Repasser à la vapeur sous un linge. L’été, ranger propre dans une housse en coton.',
      de: 'Nach dem Tragen von oben nach unten bürsten und über Nacht auf breitem Bügel auslüften. Flecken sofort mit kaltem Wasser abtupfen, nicht reiben. Höchstens einmal pro Saison in die Reinigung. Mit Dampf durch ein Tuch bügeln. Im Sommer sauber in einer Baumwollhülle aufbewahren.',
    },
    repair: {
      repairable: true,
      sparePartsAvailable: true,
      instructions: {
        it: 'Un bottone di scorta è cucito nella tasca interna sinistra; altri e il tessuto per toppe si chiedono per e-mail indicando lo SKU. La fodera è cucita a mano lungo l’orlo: si apre e si sostituisce senza smontare il cappotto. Rammendo invisibile gratuito per due anni.',
        en: 'A spare button is sewn into the inner left pocket; ask by e-mail for more and for mending cloth, giving the SKU. The lining is hand-sewn along the hem: it can be opened and replaced without taking the coat apart. Invisible mending is free for two years.',
        de: 'Ein Ersatzknopf ist in die linke Innentasche genäht; weitere und Flickstoff gibt es per E-Mail mit Angabe der Artikelnummer. Das Futter ist am Saum von Hand angenäht und lässt sich öffnen und ersetzen, ohne den Mantel zu zerlegen. Kunststopfen ist zwei Jahre lang kostenlos.',
      },
    },
    endOfLife: {
      recyclingInstructions: {
        it: 'Riportalo in negozio o spediscilo a noi: paghiamo il trasporto. Togliamo fodera, bottoni e spalline; il tessuto torna in cernita a Prato per colore e viene sfilacciato senza nuova tintura. In alternativa, pulito e asciutto, nella raccolta tessili del Comune.',
        en: 'Bring it to a shop or send it to us: we pay the carriage. We take out lining, buttons and shoulder pads; the cloth is sorted by colour in Prato and pulled without new dye. Otherwise put it, clean and dry, into your municipal textile collection.',
        fr: 'Rapportez-le en boutique ou envoyez-le-nous : le port est à notre charge. Nous retirons doublure, boutons et épaulettes ; le drap est trié par couleur à Prato et effiloché sans nouvelle teinture. Sinon, propre et sec, dans une borne textile.',
        de: 'In den Laden zurückbringen oder an uns schicken: Das Porto zahlen wir. Futter, Knöpfe und Schulterpolster nehmen wir heraus; der Stoff wird in Prato nach Farbe sortiert und ohne neues Färben gerissen. Sonst sauber und trocken in die Alttextilsammlung.',
      },
      disposalInstructions: {
        it: 'Non gettarlo nell’indifferenziata. Se è infestato da tarme, chiuderlo in un sacchetto e congelarlo per 72 ore prima di consegnarlo.',
        en: 'Do not put it in residual waste. If moths are in it, close it in a bag and freeze it for 72 hours before handing it in.',
        de: 'Nicht in den Restmüll. Bei Mottenbefall in einem Beutel 72 Stunden einfrieren, erst dann abgeben.',
      },
    },
    durability: {
      testResults: 'Abrasion: 25,000 cycles without thread break (EN ISO 12947-2). Seam slippage 3 mm at 180 N (EN ISO 13936-1).',
      pefScore: 1.62,
    },
    carbonFootprint: 11.8,
    waterFootprint: 290,
    weightGrams: 1480,
    complianceDocuments: [
      { type: 'Recycled content declaration', url: 'https://documenti.cardofino.example/bisenzio/rigenerato.pdf' },
    ],
  },
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
    durability: { testResults: 'Tensile strength warp 640 N, weft 590 N (EN ISO 13934-1). Abrasion 30,000 cycles (EN ISO 12947-2).' },
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

const RAIN_JACKET: DemoPassport = {
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
      { stage: 'finishing', country: 'DE', facilityName: 'Wetterlohe Laminierung', facilityId: '9521000050006' },
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
      { name: 'Octamethylcyclotetrasiloxane (D4)', casNumber: '556-67-2', concentrationRange: '0.1–0.2 % in the silicone cuff print' },
      { name: 'N,N-Dimethylformamide', casNumber: '68-12-2', concentrationRange: '< 0.1 % in the membrane' },
    ],
    durability: {
      testResults: 'Water column 20,000 mm, 15,000 mm after 20 washes (EN ISO 811). Water vapour resistance 6.1 m²·Pa/W (EN ISO 11092). Spray rating 4 after 10 washes (EN ISO 4920).',
      pefScore: 1.27,
    },
    carbonFootprint: 17.5,
    waterFootprint: 240,
    weightGrams: 412,
    complianceDocuments: [
      { type: 'PFAS-free declaration', url: 'https://dokumente.wetterlohe.example/nebelhorn/pfas.pdf' },
      { type: 'REACH Article 33 communication', url: 'https://dokumente.wetterlohe.example/nebelhorn/art33.pdf' },
    ],
  },
  batches: [
    { lot: 'NBH-2604', items: [{ serial: 'NBH2604-00017' }, { serial: 'NBH2604-00018' }, { serial: 'NBH2604-00019' }] },
    { lot: 'NBH-2609', data: { carbonFootprint: 16.9, recycledContentPercentage: 61 } },
  ],
  corrections: [
    {
      note: 'Laboratory found bisphenol S in the inner face; it had been missing from the list.',
      change_type: 'correction',
      data: {
        substancesOfConcern: [
          { name: 'Octamethylcyclotetrasiloxane (D4)', casNumber: '556-67-2', concentrationRange: '0.1–0.2 % in the silicone cuff print' },
          { name: 'N,N-Dimethylformamide', casNumber: '68-12-2', concentrationRange: '< 0.1 % in the membrane' },
          { name: "4,4'-Sulfonyldiphenol (bisphenol S)", casNumber: '80-09-1', concentrationRange: '0.1–0.3 % in the inner face' },
        ],
      },
    },
  ],
}

export const WOVENS: readonly DemoPassport[] = [WOOL_COAT, LINEN_SHEETS, RAIN_JACKET]

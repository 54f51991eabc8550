/** Demo textiles made of wool. */
import { CARDOFINO, SAARIKUU } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'

export const MERINO_BASE_LAYER: DemoPassport = {
  category: 'textile',
  data: {
    productName: 'Hiisi 180 Merino Base Layer',
    sku: 'SK-HII180-LS-M',
    brandName: 'Saarikuu',
    gtin: '9521001200004',
    commodityCode: '61099020',
    economicOperator: SAARIKUU,
    languages: ['fi', 'sv', 'en', 'de'],
    fiberComposition: [
      { fiber: 'wool', percentage: 87 },
      { fiber: 'polyamide', percentage: 13 },
    ],
    recycledContentPercentage: 13,
    countryOfManufacture: 'EE',
    supplyChainStages: [
      { stage: 'spinning', country: 'IT', facilityName: 'Filatura Valdorsa', facilityId: '9521000210004' },
      { stage: 'knitting', country: 'FI', facilityName: 'Saarikuu Neulomo', facilityId: '9521000010000' },
      { stage: 'dyeing', country: 'FI', facilityName: 'Nokivirran Värjäämö' },
      { stage: 'assembly', country: 'EE', facilityName: 'Õmblusmaja Tuulik', facilityId: '9521000220003' },
    ],
    careInstructions: {
      fi: 'Tuuleta käytön jälkeen: villa raikastuu usein pelkässä ilmassa. Pese nurin päin villaohjelmalla enintään 30 °C:ssa villanpesuaineella, ilman huuhteluainetta. Linkoa enintään 800 kierrosta, muotoile kosteana ja kuivata tasossa. Ei rumpukuivausta. Säilytä taiteltuna, ei henkarissa.',
      sv: 'Vädra efter användning: ull blir ofta fräsch av enbart luft. Tvätta ut och in i ullprogram, högst 30 °C, med ulltvättmedel och utan sköljmedel. Centrifugera högst 800 varv, forma plagget fuktigt och torka det plant. Torktumla inte. Förvara vikt, inte på galge.',
      en: 'Air after wear: wool often freshens without washing. Wash inside out on a wool cycle at no more than 30 °C with wool detergent and no softener. Spin at up to 800 rpm, reshape while damp and dry flat. Do not tumble dry. Store folded, not on a hanger.',
      de: 'Nach dem Tragen lüften: Wolle wird oft schon an der Luft frisch. Auf links im Wollprogramm bei höchstens 30 °C mit Wollwaschmittel und ohne Weichspüler waschen. Mit höchstens 800 Touren schleudern, feucht in Form ziehen und liegend trocknen. Nicht in den Trockner. Gefaltet lagern, nicht auf dem Bügel.',
    },
    repair: {
      repairable: true,
      sparePartsAvailable: true,
      instructions: {
        fi: 'Alle 1 cm:n reikä: aseta parsinsieni reiän alle, kuljeta helman sisäsaumaan kiinnitettyä varalankaa ensin pystyyn ja pujota sitten poikittain joka toisen langan ali. Isommat vauriot ja hihansuut korjaamme maksutta viiden vuoden ajan: lähetä paita pestynä osoitteeseen, jonka saat sähköpostitse.',
        sv: 'Hål under 1 cm: lägg en stoppsvamp under hålet, dra reservgarnet från nederfållens insida på längden och väv sedan på tvären under varannan tråd. Större skador och ärmslut lagar vi gratis i fem år: skicka tröjan nytvättad till adressen du får per e-post.',
        en: 'Holes under 1 cm: put a darning mushroom under the hole, lay the spare yarn from inside the hem lengthwise, then weave across under every second thread. We mend larger damage and cuffs free of charge for five years: send the garment washed to the address we e-mail you.',
      },
    },
    endOfLife: {
      recyclingInstructions: {
        fi: 'Ehjän ja puhtaan paidan voit lahjoittaa tai palauttaa liikkeeseemme. Rikkinäinen paita kuuluu kunnan poistotekstiilin keräykseen kuivana ja suljetussa pussissa: villa revitään uudeksi langaksi. Nappeja tai vetoketjuja ei tarvitse irrottaa, niitä ei ole.',
        sv: 'En hel och ren tröja kan skänkas eller lämnas i vår butik. En trasig tröja läggs torr i en försluten påse i kommunens insamling av textilavfall: ullen rivs till nytt garn. Det finns varken knappar eller dragkedja att ta bort.',
        en: 'Donate a whole, clean garment or bring it back to our shop. Put a worn-out one, dry and in a closed bag, into the textile waste collection: the wool is pulled into new yarn. There are no buttons or zips to remove.',
        de: 'Ein heiles, sauberes Hemd spenden oder in unseren Laden zurückbringen. Ein verschlissenes trocken und in einem geschlossenen Beutel in die Alttextilsammlung geben: Die Wolle wird zu neuem Garn gerissen. Knöpfe oder Reißverschlüsse sind keine zu entfernen.',
      },
      disposalInstructions: {
        fi: 'Vain homeinen tai öljyinen paita laitetaan sekajätteeseen. Älä polta kotona.',
        sv: 'Endast en möglig eller oljig tröja läggs i restavfallet. Elda den inte hemma.',
        en: 'Only a mouldy or oil-soaked garment goes into residual waste. Do not burn it at home.',
        de: 'Nur ein verschimmeltes oder ölgetränktes Hemd gehört in den Restmüll. Nicht selbst verbrennen.',
      },
    },
    durability: {
      testResults:
        'Nyppyyntyminen 7 000 kierroksen jälkeen: luokka 4 (EN ISO 12945-2). Mittamuutos 5 pesun jälkeen: pituus −2,5 %, leveys −2,0 % (EN ISO 5077). Värin hienkesto: luokka 4–5 (EN ISO 105-E04).',
      pefScore: 0.84,
    },
    carbonFootprint: 9.4,
    waterFootprint: 410,
    weightGrams: 196,
    complianceDocuments: [
      {
        type: 'Fibre composition test report',
        url: 'https://docs.saarikuu.example/hiisi-180/fibre-report.pdf',
      },
      { type: 'Animal welfare statement, merino', url: 'https://docs.saarikuu.example/merino/welfare.pdf' },
    ],
  },
  corrections: [
    {
      note: 'New dye house since week 14: the bath is heated with district heat.',
      change_type: 'change',
      data: { carbonFootprint: 8.7, waterFootprint: 365 },
    },
  ],
}

export const WOOL_COAT: DemoPassport = {
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
      { fiber: 'wool', percentage: 80 },
      { fiber: 'polyamide', percentage: 20 },
    ],
    recycledContentPercentage: 72,
    countryOfManufacture: 'IT',
    supplyChainStages: [
      { stage: 'spinning', country: 'IT', facilityName: 'Filatura Rivocardo', facilityId: '9521000270008' },
      { stage: 'weaving', country: 'IT', facilityName: 'Lanificio Cardofino', facilityId: '9521000030008' },
      {
        stage: 'finishing',
        country: 'IT',
        facilityName: 'Rifinizione Gualchiera',
        facilityId: '9521000280007',
      },
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
      testResults:
        'Abrasione: 25.000 cicli senza rottura di fili (EN ISO 12947-2). Scorrimento delle cuciture: 3 mm a 180 N (EN ISO 13936-1).',
      pefScore: 1.62,
    },
    carbonFootprint: 11.8,
    waterFootprint: 290,
    weightGrams: 1480,
    complianceDocuments: [
      {
        type: 'Recycled content declaration',
        url: 'https://documenti.cardofino.example/bisenzio/rigenerato.pdf',
      },
    ],
  },
}

/** Demo furniture that is put together from many parts. */
import { DESKARNIA, LOTRECHT } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'

export const BOOKCASE: DemoPassport = {
  category: 'furniture',
  data: {
    productName: 'Regał Rząd 5',
    sku: 'DSK-RZ5-DAB',
    brandName: 'Deskarnia',
    gtin: '9521001405188',
    commodityCode: '94036010',
    economicOperator: DESKARNIA,
    languages: ['pl', 'de', 'en', 'cs'],
    materialComposition: [
      { material: 'engineeredWood', percentage: 91.5 },
      { material: 'metal', percentage: 5.2 },
      { material: 'plastic', percentage: 3.3 },
    ],
    woodCertification: { scheme: 'pefc', country: 'PL' },
    dimensions: { width: 80, depth: 30, height: 202, weightKg: 34.2 },
    countryOfManufacture: 'PL',
    careInstructions: {
      pl: 'Wycierać wilgotną ściereczką i od razu do sucha: woda stojąca na krawędzi spęcza płytę. Bez proszków i rozpuszczalników. Najwyżej 25 kg na półkę, ciężkie książki na dole. Raz w roku sprawdzić mocowanie do ściany.',
      de: 'Feucht abwischen und sofort trocknen: Wasser, das an der Kante steht, lässt die Platte quellen. Keine Scheuermittel oder Lösemittel. Höchstens 25 kg je Boden, schwere Bücher nach unten. Einmal im Jahr die Wandbefestigung prüfen.',
      en: 'Wipe with a damp cloth and dry at once: water standing on an edge swells the board. No scouring powder or solvents. At most 25 kg per shelf, heavy books at the bottom. Check the wall fixing once a year.',
      cs: 'Otírat vlhkým hadříkem a hned osušit: voda stojící na hraně desku nabobtná. Bez prášků a rozpouštědel. Nejvýše 25 kg na polici, těžké knihy dolů. Jednou za rok zkontrolovat upevnění ke zdi.',
    },
    assemblyInstructions: {
      pl: 'https://deskarnia.example/montaz/rzad-5',
      de: 'https://deskarnia.example/de/aufbau/rzad-5',
      en: 'https://deskarnia.example/en/assembly/rzad-5',
    },
    repair: {
      repairable: true,
      sparePartsAvailable: true,
      instructions: {
        pl: 'Wyrobiony otwór po kołku: oczyścić, wkleić kołek bukowy 8 mm, po dobie nawiercić na nowo. Obite obrzeże przykleja się żelazkiem (ok. 150 °C). Półki, obrzeża i złącza sprzedajemy osobno przez 10 lat.',
        de: 'Ausgerissenes Dübelloch: säubern, 8-mm-Buchendübel einleimen, nach einem Tag neu bohren. Abgestoßene Kanten mit dem Bügeleisen (etwa 150 °C) neu aufbringen. Böden, Kanten und Verbinder gibt es 10 Jahre lang einzeln.',
        en: 'Worn dowel hole: clean it, glue in an 8 mm beech dowel and drill again after a day. Chipped edging is replaced with an iron (about 150 °C). Shelves, edging and fittings are sold singly for 10 years.',
      },
      sparePartsUrl: 'https://deskarnia.example/czesci/rzad-5',
    },
    warrantyMonths: 36,
    substancesOfConcern: [
      {
        name: 'Formaldehyde',
        casNumber: '50-00-0',
        note: 'Uwalniany przez płytę: 0,03 mg/m³ po 28 dniach (EN 717-1), wartość graniczna 0,062 mg/m³.',
      },
      {
        name: 'Melamine',
        casNumber: '108-78-1',
        note: 'Pozostałość w żywicy dekoru, 0,1–0,3 % powłoki.',
      },
    ],
    flameRetardants: 'absent',
    packaging: 'recyclable',
    endOfLife: {
      recyclingInstructions: {
        pl: 'Rozkręcić tym samym kluczem 4 mm: regał znosi to co najmniej pięć razy, więc najpierw oddać dalej. Zdjąć stopki i złącza (plastik, stal). Płyty oddać do PSZOK jako drewno pokryte: wracają do produkcji płyt.',
        de: 'Mit demselben 4-mm-Schlüssel zerlegen: Das Regal verträgt es mindestens fünfmal, also zuerst weitergeben. Füße und Verbinder (Kunststoff, Stahl) abnehmen. Platten als beschichtetes Holz zum Wertstoffhof: Daraus werden neue Platten.',
        en: 'Take it apart with the same 4 mm key: it stands this at least five times, so pass it on first. Remove feet and fittings (plastic, steel). Take the boards to the recycling centre as coated wood: they become new boards.',
        cs: 'Rozebrat stejným klíčem 4 mm: regál to snese nejméně pětkrát, proto ho nejdřív nabídněte dál. Sejmout nožky a spojky (plast, ocel). Desky odevzdat ve sběrném dvoře jako povrchově upravené dřevo: vznikají z nich nové desky.',
      },
      disposalInstructions: {
        pl: 'Nie palić: powłoka wydziela trujące gazy. Spęczniałe lub spleśniałe płyty zgłosić jako odpad wielkogabarytowy.',
        de: 'Nicht verbrennen: Die Beschichtung setzt giftige Gase frei. Gequollene oder schimmlige Platten zum Sperrmüll.',
        en: 'Do not burn: the coating gives off toxic gases. Swollen or mouldy boards go to bulky waste.',
      },
    },
    complianceDocuments: [
      {
        type: 'Formaldehyde test report EN 717-1',
        url: 'https://dokumenty.deskarnia.example/rzad-5/en717.pdf',
      },
      {
        type: 'Stability test report EN 14749',
        url: 'https://dokumenty.deskarnia.example/rzad-5/en14749.pdf',
      },
    ],
  },
  batches: [
    { lot: 'RZ5-2635', items: [{ serial: 'RZ5-2635-001' }, { serial: 'RZ5-2635-002' }] },
    {
      lot: 'RZ5-2641',
      data: { countryOfManufacture: 'LT', woodCertification: { scheme: 'fsc', country: 'LT' } },
    },
  ],
  corrections: [
    {
      note: 'Formaldehyde figure was from the previous board supplier.',
      change_type: 'correction',
      data: {
        substancesOfConcern: [
          {
            name: 'Formaldehyde',
            casNumber: '50-00-0',
            note: 'Uwalniany przez płytę: 0,04 mg/m³ po 28 dniach (EN 717-1), wartość graniczna 0,062 mg/m³.',
          },
          {
            name: 'Melamine',
            casNumber: '108-78-1',
            note: 'Pozostałość w żywicy dekoru, 0,1–0,3 % powłoki.',
          },
        ],
      },
    },
  ],
}

export const OFFICE_CHAIR: DemoPassport = {
  category: 'furniture',
  data: {
    productName: 'Lotrecht L4 Bürodrehstuhl',
    sku: 'LOT-L4-NETZ-ANTH',
    brandName: 'Lotrecht',
    gtin: '9521001405928',
    commodityCode: '94013900',
    economicOperator: LOTRECHT,
    languages: ['de', 'en', 'fr', 'it', 'sl'],
    materialComposition: [
      { material: 'metal', percentage: 46.8 },
      { material: 'plastic', percentage: 31.4 },
      { material: 'foam', percentage: 12.3 },
      { material: 'textile', percentage: 8.7 },
      { material: 'rubber', percentage: 0.8 },
    ],
    dimensions: { width: 68, depth: 68, height: 112, weightKg: 19.7 },
    countryOfManufacture: 'AT',
    careInstructions: {
      de: 'Netz und Sitz monatlich absaugen; Flecken mit lauwarmem Wasser und etwas Feinwaschmittel abtupfen. Haare und Fäden halbjährlich aus den Rollen ziehen. Einmal im Jahr alle sichtbaren Schrauben mit dem 5-mm-Inbus nachziehen. Die Gasfeder braucht kein Fett.',
      en: 'Vacuum mesh and seat monthly; dab stains with lukewarm water and a little mild detergent. Pull hair and threads out of the castors every six months. Once a year retighten all visible screws with the 5 mm hex key. The gas lift needs no grease.',
      fr: 'Aspirer la résille et l’assise chaque mois ; tamponner les taches à l’eau tiède avec un peu de lessive douce. Ôter cheveux et fils des roulettes tous les six mois. Une fois par an, resserrer toutes les vis visibles à la clé de 5. Le vérin ne se graisse pas.',
      it: 'Aspirare rete e sedile ogni mese; tamponare le macchie con acqua tiepida e poco detersivo delicato. Togliere capelli e fili dalle ruote ogni sei mesi. Una volta l’anno serrare tutte le viti visibili con la brugola da 5. La molla a gas non va ingrassata.',
      sl: 'Mrežo in sedež enkrat na mesec posesajte; madeže popivnajte z mlačno vodo in malo blagega detergenta. Lase in niti vsakih šest mesecev izvlecite iz koles. Enkrat na leto z inbus ključem 5 mm privijte vse vidne vijake. Plinske vzmeti ni treba mazati.',
    },
    assemblyInstructions: {
      de: 'Rollen in das Fußkreuz drücken, bis sie einrasten. Gasfeder hineinstellen, Sitz aufsetzen und einmal kräftig hinsetzen. Rückenlehne einschieben und mit den zwei beiliegenden Schrauben festziehen. Zehn Minuten, kein Werkzeug außer dem Inbus in der Armlehne.',
      en: 'Press the castors into the base until they click. Stand the gas lift in it, set the seat on top and sit down firmly once. Slide in the backrest and fix it with the two screws supplied. Ten minutes, no tool but the hex key kept in the armrest.',
      fr: 'Enfoncer les roulettes dans le piètement jusqu’au clic. Y placer le vérin, poser l’assise et s’asseoir fermement une fois. Glisser le dossier et le fixer avec les deux vis fournies. Dix minutes, sans autre outil que la clé rangée dans l’accoudoir.',
    },
    repair: {
      repairable: true,
      sparePartsAvailable: true,
      instructions: {
        de: 'Alle 14 Teile tragen eine Nummer und sind 15 Jahre lieferbar.\nSinkt der Sitz: Gasfeder (Teil 6) tauschen. Stuhl umlegen, Federring abziehen, mit dem Gummihammer auf den Kolbenrand schlagen, neue Feder einsetzen. Die alte nie öffnen: Sie steht unter Druck.\nRollen (7), Armauflagen (3) und Sitzpolster (4) lösen sich ohne Werkzeug. Das Netz (1) wird mit seinem Rahmen getauscht: vier Schrauben.',
        en: 'All 14 parts carry a number and are available for 15 years.\nSeat sinks: change the gas lift (part 6). Lay the chair down, pull off the ring clip, tap the rim of the piston with a rubber mallet, put in the new one. Never open the old one: it is under pressure.\nCastors (7), arm pads (3) and seat cushion (4) come off without tools. The mesh (1) is changed with its frame: four screws.',
        fr: 'Les 14 pièces sont numérotées et disponibles 15 ans.\nL’assise descend : changer le vérin (pièce 6). Coucher le siège, ôter le clip, frapper le bord du piston au maillet, poser le neuf. Ne jamais ouvrir l’ancien : il est sous pression.\nRoulettes (7), manchettes (3) et coussin (4) s’enlèvent sans outil. La résille (1) se change avec son cadre : quatre vis.',
      },
      sparePartsUrl: 'https://ersatzteile.lotrecht.example/l4',
    },
    warrantyMonths: 84,
    substancesOfConcern: [
      {
        name: 'Lead',
        casNumber: '7439-92-1',
        note: 'Legierungselement in den Stahlschrauben und im Druckguss-Fußkreuz, unter 0,35 %.',
      },
    ],
    flameRetardants: 'absent',
    packaging: 'recyclable',
    endOfLife: {
      recyclingInstructions: {
        de: 'In sechs Minuten zerlegt: Lehne (2 Schrauben), Sitz (4), Armlehnen (je 2), dann Gasfeder aus dem Fußkreuz schlagen. Aluminium und Stahl zum Metall, Kunststoffe nach der eingeprägten Kennung (PA, PP, POM). Oder zurückschicken: 20 Euro Gutschrift.',
        en: 'Apart in six minutes: back (2 screws), seat (4), arms (2 each), then knock the gas lift out of the base. Aluminium and steel to metal, plastics by the mark moulded in (PA, PP, POM). Or send it back: 20 euros credit.',
        fr: 'Démonté en six minutes : dossier (2 vis), assise (4), accoudoirs (2 chacun), puis chasser le vérin du piètement. Aluminium et acier au métal, plastiques selon le marquage (PA, PP, POM). Ou nous le renvoyer : 20 euros d’avoir.',
        it: 'Smontata in sei minuti: schienale (2 viti), sedile (4), braccioli (2 ciascuno), poi battere fuori la molla a gas dalla base. Alluminio e acciaio nei metalli, plastiche secondo la sigla impressa (PA, PP, POM). Oppure rispedirla: 20 euro di buono.',
      },
      disposalInstructions: {
        de: 'Gasfeder ganz zum Wertstoffhof, nie anbohren oder ins Feuer werfen. Schaum und Netz in den Restmüll, der Rest ist verwertbar.',
        en: 'Take the gas lift whole to the recycling centre, never drill it or throw it into fire. Foam and mesh go into residual waste, the rest is recyclable.',
        fr: 'Vérin entier en déchèterie, ne jamais le percer ni le jeter au feu. Mousse et résille aux ordures ménagères, le reste se recycle.',
      },
    },
    complianceDocuments: [
      {
        type: 'Office work chair test report EN 1335',
        url: 'https://dokumente.lotrecht.example/l4/en1335.pdf',
      },
      { type: 'Gas lift type test EN 16955', url: 'https://dokumente.lotrecht.example/l4/en16955.pdf' },
    ],
  },
  batches: [
    {
      lot: 'L4-2617',
      items: [
        { serial: 'L4-2617-0031' },
        { serial: 'L4-2617-0032' },
        { serial: 'L4-2617-0033', data: { warrantyMonths: 120 } },
      ],
    },
  ],
  corrections: [
    {
      note: 'Stainless screws: lead no longer above 0.1 %.',
      change_type: 'change',
      data: { substancesOfConcern: null },
    },
  ],
}

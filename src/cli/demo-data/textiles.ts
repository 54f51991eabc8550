/** Demo textiles: knitwear here, woven goods beside it. */
import { SAARIKUU, TALLYBROOK } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'
import { WOVENS } from './textiles-woven.ts'

const MERINO_BASE_LAYER: DemoPassport = {
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
        'Pilling after 7,000 cycles: grade 4 (EN ISO 12945-2). Dimensional change after 5 washes: −2.5 % length, −2.0 % width (EN ISO 5077). Colour fastness to perspiration: grade 4–5 (EN ISO 105-E04).',
      pefScore: 0.84,
    },
    carbonFootprint: 9.4,
    waterFootprint: 410,
    weightGrams: 196,
    complianceDocuments: [
      { type: 'Fibre composition test report', url: 'https://docs.saarikuu.example/hiisi-180/fibre-report.pdf' },
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
    durability: { testResults: 'Bursting strength 610 kPa (EN ISO 13938-2). Spirality after 5 washes: 2 % (ISO 16322-2).' },
    carbonFootprint: 4.1,
    waterFootprint: 1870,
    weightGrams: 228,
    complianceDocuments: [
      { type: 'Organic fibre transaction certificate', url: 'https://files.tallybrook.example/tee-220/tc-2026.pdf' },
      { type: 'Azo dye test report (EN ISO 14362-1)', url: 'https://files.tallybrook.example/tee-220/azo.pdf' },
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

export const TEXTILES: readonly DemoPassport[] = [MERINO_BASE_LAYER, T_SHIRT, ...WOVENS, SOCKS]

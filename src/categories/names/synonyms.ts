/**
 * Synonyms of known names beyond the labels in 24 languages: other names, short codes (ISO 2076) and brands.
 */
import names from '../../../assets/names.json' with { type: 'json' }

type Synonyms = Readonly<Record<string, readonly string[]>>

/** Names that mean exactly the fibre. */
export const FIBRE_SYNONYMS: Synonyms = names.fibres

/** A word that says more than the fibre's name, or a brand: the law requires the fibre's own name. */
export const FIBRE_KINDS: Synonyms = names.fibreKinds

/** Words beside a fibre's name that qualify it or only connect words. */
export const QUALIFIERS = [...Object.values(names.qualifiers).flat(), ...names.particles]

/**
 * Names of a listed value, by the path of its field. If only listed values can be stored, names of kinds of a
 * value count too.
 */
export const VALUE_SYNONYMS: Readonly<Record<string, Synonyms>> = names.values

/** Names of countries that are in use beside those of the Unicode CLDR. */
export const COUNTRY_SYNONYMS: Synonyms = names.countries

/** Words before the name of a country on labels: "Made in". */
export const MADE_IN: readonly string[] = names.madeIn

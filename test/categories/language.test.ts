/** Tests that each language tag has one spelling (RFC 5646 §4.5). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { canonicalizeLanguage } from '../../src/categories/language.ts'

describe('canonicalizeLanguage', () => {
  for (const [tag, canonical] of [
    ['en-us', 'en-US'],
    ['iw', 'he'],
    ['zh-yue', 'yue'],
    ['ZH-YUE-hk', 'yue-HK'],
    ['zh-cmn-Hans-CN', 'zh-Hans-CN'],
    ['cmn-Hans-CN', 'zh-Hans-CN'],
    ['sgn-ase', 'ase'],
    ['ar-arb', 'ar'],
    ['sgn-DE', 'gsg'],
    ['sgn-BE-FR', 'sfb'],
    ['SGN-be-nl', 'vgt'],
    ['sgn-CH-DE', 'sgg'],
    ['en-GB-oed', 'en-GB-oxendict'],
    ['i-klingon', 'tlh'],
    ['i-lux', 'lb'],
    ['no-bok', 'nb'],
    ['zh-min-nan', 'nan'],
    ['zh-guoyu', 'zh'],
    ['art-lojban', 'jbo'],
    ['sl-rozaj-biske-1994', 'sl-rozaj-biske-1994'],
    ['SL-Latn-it-NEDIS-1994-x-a', 'sl-Latn-IT-nedis-1994-x-a'],
    ['de-1996-1901', 'de-1996-1901'],
    ['ja-Latn-hepburn-heploc', 'ja-Latn-alalc97'],
    ['zh-hak-1994', 'hak-1994'],
    ['de-t-hornish', 'de-t-hornish'],
    ['en-x-i-default', 'en-x-i-default'],
  ] as const) {
    it(`${tag} becomes ${canonical}, which stays unchanged`, () => {
      assert.equal(canonicalizeLanguage(tag), canonical)
      assert.equal(canonicalizeLanguage(canonical), canonical)
    })
  }

  for (const tag of [
    'und',
    'mul',
    'x-abc',
    'i-default',
    'i-mingo',
    'i-enochian',
    'zh-min',
    'i-klingon-US',
    'i-xyz',
    'en-yue',
    'zh-yue-cmn',
    'zh-',
    '-zh',
    'en-GB-oedx-',
    'sl-rozaj-rozaj',
    '',
    'e',
    'en_US',
  ]) {
    it(`rejects "${tag}"`, () => assert.equal(canonicalizeLanguage(tag), undefined))
  }
})

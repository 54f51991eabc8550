import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseLinkQuery } from '../../src/gs1/link-query.ts'
import { parseLinkType } from '../../src/gs1/link-type.ts'

describe('parseLinkQuery', () => {
  it('finds the link type with every separator and spelling', () => {
    for (const query of [
      'linkType=gs1:dpp',
      'linkType=gs1%3Adpp',
      'a=b&linkType=gs1:dpp',
      'a=b;linkType=gs1%3adpp;c',
      '&&flag&link%54ype=gs1:dpp',
      'linkType=&linkType=gs1:dpp&linkType=gs1:pip',
    ]) {
      assert.deepEqual(parseLinkQuery(query), { linkType: 'gs1:dpp' }, query)
    }
    for (const query of [
      '',
      'linkType',
      'linkType=',
      'linktype=gs1:dpp',
      'x=linkType=gs1:dpp',
      '=1',
      '%=%zz',
    ]) {
      assert.deepEqual(parseLinkQuery(query), { linkType: undefined }, query)
    }
    assert.deepEqual(parseLinkQuery('linkType=%zz'), { linkType: '%zz' })
  })

  it('allows data attributes, but no key that belongs in the path', () => {
    for (const key of [
      '17',
      '240',
      '3103',
      '3922',
      '7003',
      '7030',
      '8200',
      '99',
      '90',
      '02',
      '254',
      '4308',
    ]) {
      assert.deepEqual(parseLinkQuery(`${key}=261231`), { linkType: undefined }, key)
    }
    for (const key of ['01', '10', '21', '22', '235', '1%30']) {
      assert.deepEqual(parseLinkQuery(`a=b&${key}=X`), { error: 'path_key_in_query' }, key)
    }
    for (const key of ['0', '1', '123', '18', '89', '999', '8199', '4399', '00017', '3700']) {
      assert.deepEqual(parseLinkQuery(`${key}=X`), { error: 'unknown_identifier' }, key)
    }
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), query => void parseLinkQuery(query)))
  })
})

describe('parseLinkType', () => {
  it('knows its types in every spelling in use', () => {
    for (const name of ['defaultLink', 'pip', 'dpp', 'serviceInfo', 'registerProduct']) {
      for (const prefix of [
        'gs1:',
        'https://ref.gs1.org/voc/',
        'https://gs1.org/voc/',
        'https://www.gs1.org/voc/',
        'http://gs1.org/voc/',
      ]) {
        assert.equal(parseLinkType(prefix + name), name)
      }
      assert.equal(parseLinkType(name), undefined)
    }
    assert.equal(parseLinkType('linkset'), 'linkset')
    assert.equal(parseLinkType('all'), 'linkset')
    for (const text of [
      'gs1:nosuchlt',
      'gs1:linkset',
      'gs1:DPP',
      'gs1:constructor',
      'https://gs1.org.example/voc/dpp',
      '',
    ]) {
      assert.equal(parseLinkType(text), undefined, text)
    }
  })
})

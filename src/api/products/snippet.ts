/** The HTML that a shop puts on the page of a product. */
import { readAudienceProfile } from '../../accounts/account/audience-profile.ts'
import { getPassport } from '../../passports/read/find.ts'
import {
  buildShopSnippet,
  isProductId,
  SNIPPET_IMAGES,
  SNIPPET_LANGUAGES,
} from '../../passports/read/shop-snippet.ts'
import { listRecallsInForce } from '../../passports/recalls/read-recall.ts'
import { cacheable } from '../endpoint/conditions.ts'
import { dataResponse } from '../endpoint/documented-response.ts'
import { defineEndpoint, successJson } from '../endpoint/endpoint.ts'
import { IF_NONE_MATCH } from '../endpoint/header-parameters.ts'
import { choiceParameter, type QueryParameter } from '../endpoint/query-parameters.ts'
import { exampleSnippet } from './examples.ts'

const productId: QueryParameter<string> = {
  description: 'The `@id` of the Product on the shop’s page: a full address, or `#` and a name.',
  schema: { type: 'string', maxLength: 2048 },
  read: (text, name) =>
    isProductId(text)
      ? text
      : { code: 'format', message: `${name} must be a full address (https://…), or # and a name.` },
}

export const readSnippet = defineEndpoint({
  method: 'GET',
  path: '/products/:id/snippet',
  id: 'getSnippet',
  tag: 'products',
  summary: 'Get HTML for the product page of a shop',
  description:
    'A link to the passport, its QR code or a badge as an image, and schema.org JSON-LD with `hasDigitalProductPassport`. The JSON-LD adds to the Product that the shop’s page already describes. It contains only public data.',
  query: {
    lang: choiceParameter(
      'Language of the texts. Default: the primary language of the passport.',
      SNIPPET_LANGUAGES,
    ),
    image: choiceParameter(
      'What the link shows: the QR code and a text, or the badge. Default: `qr`.',
      SNIPPET_IMAGES,
    ),
    product: productId,
  },
  requestHeaders: [IF_NONE_MATCH],
  responses: { 200: dataResponse('The snippet.', 'Snippet', exampleSnippet()) },
  async handle(call) {
    const { lang: language, product, image } = call.query
    const [row, recalls, audience_profile] = await Promise.all([
      getPassport(call.account, call.path.id),
      listRecallsInForce(call.account, call.path.id),
      readAudienceProfile(call.account),
    ])
    const described = { ...row, recalls, audience_profile }
    const snippet = buildShopSnippet(call.setup.addresses, described, { language, productId: product, image })
    return cacheable(call, successJson(JSON.stringify(snippet)))
  },
})

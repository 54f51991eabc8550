/** How much of its plan an account uses, with a bar for each level. */
import { html } from 'ghtml'
import type { Usage } from '../../accounts/limits/quota.ts'
import type { Words } from '../page/route.ts'

export const quotaBars = (words: Words, usage: readonly Usage[]) =>
  html`<dl class="bars">!${usage.map(one => bar(words, one))}</dl><p class="quiet">${words.texts.home.quotaNote}</p>`

function bar({ texts }: Words, { level, used, quota }: Usage): string {
  const label = html`<dt id="bar-${level}">${texts.levels[level]}</dt>`
  if (quota === null)
    return html`<div>!${label}<dd class="amount">${texts.home.quotaUnlimited({ used })}</dd></div>`
  if (quota === 0) return html`<div>!${label}<dd class="amount">${texts.home.quotaNone({ used })}</dd></div>`
  return html`<div>!${label}<dd class="amount">${texts.home.quotaOf({ used, quota })}</dd>
<dd class="bar"><meter aria-labelledby="bar-${level}" min="0" max="${quota}" value="${Math.min(used, quota)}"></meter></dd></div>`
}

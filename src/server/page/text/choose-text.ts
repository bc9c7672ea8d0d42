/** Which language a caller gets: that of the address, else the first of its browser that there is, else English. */
import { EN } from './en.ts';
import type { PageText } from './page-text.ts';
import { ZH } from './zh.ts';

export const TEXTS: readonly PageText[] = [EN, ZH];
const MAX_HEADER = 200;

export function chooseText(asked: string | null, accepted: string | undefined): PageText {
  return findText(asked ?? '') ?? firstAccepted(accepted ?? '') ?? EN;
}

function firstAccepted(header: string): PageText | undefined {
  const ranges = header
    .slice(0, MAX_HEADER)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { tag, weight: weight === undefined ? 1 : Number.parseFloat(weight) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight);
  for (const { tag } of ranges) {
    const text = findText(tag);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** By the language alone: a reader of `zh-TW` rather reads this than English. */
function findText(tag: string): PageText | undefined {
  const [language = ''] = tag.toLowerCase().split('-');
  return TEXTS.find(({ lang }) => lang.split('-')[0] === language);
}

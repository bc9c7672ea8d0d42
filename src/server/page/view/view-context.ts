/** What every view gets beside its data: the language, the time, and addresses that hold at any path and behind proxies. */
import type { PageText } from '../text/page-text.ts';

export interface ViewContext {
  readonly text: PageText;
  readonly nowMs: number;
  /** False in updates: there the script of the page writes ages, so that a view does not change by the second. */
  readonly showsAges: boolean;
  readonly links: PageLinks;
}

type Query = Readonly<Record<string, string>>;

/** Relative, so that they hold below any prefix, also that of the API server's proxy. */
export interface PageLinks {
  /** In the language of this page. Parts are encoded, and what is in the query. */
  readonly to: (parts: readonly string[], query?: Query) => string;
  readonly inLanguage: (parts: readonly string[], query: Query, lang: string) => string;
}

/** As part of an address or an id; halves of characters, which have no bytes, are replaced. */
export function toPart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** `depth` is how many parts the path of this page has below the first; `lang` is there when the address names it. */
export function toLinks(depth: number, lang: string | undefined): PageLinks {
  const up = depth <= 1 ? './' : '../'.repeat(depth - 1);
  const link = (parts: readonly string[], query: Query): string => {
    const search = new URLSearchParams(query).toString();
    return `${up}${parts.map(toPart).join('/')}${search === '' ? '' : `?${search}`}`;
  };
  const kept: Query = lang === undefined ? {} : { lang };
  return {
    to: (parts, query = {}) => link(parts, { ...query, ...kept }),
    inLanguage: (parts, query, wanted) => link(parts, { ...query, lang: wanted }),
  };
}

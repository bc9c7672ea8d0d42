/** The parsed target of a request line. */

export interface RequestTarget {
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query as it came, with its `?`; empty without one. */
  readonly search: string;
}

/** Undefined when it is not decodable. Of an absolute URL, as proxies send it, the path is used. */
export function parseTarget(text: string): RequestTarget | undefined {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(text)?.[0] ?? '';
  const target = text.slice(origin.length).split('#', 1)[0] ?? '';
  const mark = target.indexOf('?');
  const rawPath = mark < 0 ? target : target.slice(0, mark);
  try {
    const path = decodeURIComponent(rawPath);
    const search = mark < 0 ? '' : target.slice(mark);
    return { path: path === '' ? '/' : path, query: new URLSearchParams(search), search };
  } catch {
    return undefined;
  }
}

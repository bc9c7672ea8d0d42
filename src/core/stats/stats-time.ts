/** Times of the summary: RFC 3339 in whole seconds. */
export function toStatsTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}

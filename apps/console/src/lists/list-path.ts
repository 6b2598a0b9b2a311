/** Returns the path of a list with these filters. Omits empty filters. */
export function listPath(path: string, filters: Record<string, string>): string {
  const search = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));
  return search.size > 0 ? `${path}?${search.toString()}` : path;
}

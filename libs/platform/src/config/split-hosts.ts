/**
 * Splits a URL with several hosts, in libpq syntax (`postgresql://user@host-1:5432,host-2/shop`), into one URL per
 * host.
 */
export function splitHosts(url: string): string[] {
  const [, start, hosts, rest] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(url) ?? [];
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${start}${host}${rest}`);
}

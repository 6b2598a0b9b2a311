/**
 * Returns a URL for each host in a URL with several hosts, as libpq accepts them:
 * `postgresql://user@host-1:5432,host-2/shop`. Returns the URL itself if it has one host.
 */
export function splitHosts(url: string): string[] {
  const [, start, hosts, rest] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(url) ?? [];
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${start}${host}${rest}`);
}

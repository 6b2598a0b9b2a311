/** Returns whether the server now serves a different version of the console than the one on this page. */
export async function wasUpgraded(): Promise<boolean> {
  const base = import.meta.env.BASE_URL;
  const html = await fetch(base, { cache: 'no-store' })
    .then((response) => (response.ok ? response.text() : null))
    .catch(() => null);
  const scripts = [...document.scripts].map((script) => script.getAttribute('src'));
  return html !== null && scripts.some((path) => path?.startsWith(base) && !html.includes(path));
}

/**
 * Whether the style sheets of index.html are loaded. Browsers load them before scripts run. Evaluated before the router
 * adds those of the screen.
 */
export const areStylesLoaded = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every(
  ({ sheet }) => sheet,
);

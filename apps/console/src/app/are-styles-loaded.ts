/**
 * True if the style sheets in index.html are loaded. Browsers load them before scripts run. Evaluated before the router
 * adds the screen's style sheets.
 */
export const areStylesLoaded = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every(
  ({ sheet }) => sheet,
);

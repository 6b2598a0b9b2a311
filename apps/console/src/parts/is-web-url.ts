/** Whether a stranger's text may be followed as a link: an http or https URL as it stands (requirement CO-03). */
export function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

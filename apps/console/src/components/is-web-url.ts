/** Returns true if untrusted text may be rendered as a link: an unmodified http or https URL (requirement CO-03). */
export function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

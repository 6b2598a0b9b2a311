import type { Brand, MailText } from '@gatehouse/domain';
import { escapeHtml } from './escape-html.js';

export interface MailContent extends MailText {
  language: string;
  brand: Brand;
  link: string | null;
}

/** Returns an email's plain text, which contains the same information as the HTML. */
export function renderText({ paragraphs, link, closing }: MailContent): string {
  return `${[...paragraphs, ...(link ? [link] : []), ...closing].join('\n\n')}\n`;
}

/**
 * Returns an email's HTML. Only the button and the logo set a text or background color, so that the email remains
 * legible if a client changes the other colors for dark mode. Styles are inline, because some clients remove style
 * elements.
 */
export function renderHtml(content: MailContent): string {
  const { language, brand, subject, heading, paragraphs, closing, link } = content;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:0">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeHtml(paragraphs[0]!)}</div>
<div role="article" lang="${language}" style="max-width:520px;margin:0 auto;padding:32px 20px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:24px;overflow-wrap:anywhere">
${renderHeader(brand)}
<h1 style="margin:0 0 16px;font-size:22px;line-height:28px">${escapeHtml(heading)}</h1>
${paragraphs.map((text) => renderParagraph(text, 16)).join('\n')}
${link ? renderLink(content, link) : ''}
${closing.map((text) => renderParagraph(text, 14)).join('\n')}
</div>
</body>
</html>
`;
}

/**
 * Renders the logo on white, because many logos are designed for a white background and would be invisible in dark
 * mode.
 */
const renderHeader = ({ name, logoUrl }: Brand): string =>
  logoUrl
    ? `<p style="margin:0 0 24px"><img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" height="40" style="height:40px;max-width:240px;padding:6px;border:0;border-radius:6px;background:#ffffff;color:#000000;object-fit:contain"></p>`
    : `<p style="margin:0 0 24px;font-weight:600">${escapeHtml(name)}</p>`;

const renderParagraph = (text: string, size: number): string =>
  `<p style="margin:0 0 16px;font-size:${size}px;line-height:${size + 8}px">${escapeHtml(text)}</p>`;

/**
 * Renders the button in a table, because Outlook on Windows ignores link padding. The border has the text color, so
 * that the button stands out from a background with a similar color.
 */
function renderLink({ brand, button, linkLabel }: MailContent, link: string): string {
  const href = escapeHtml(link);
  const { color, textColor } = brand;
  return `<table role="presentation" cellspacing="0" cellpadding="0" border="0" style="margin:8px 0 24px"><tr><td bgcolor="${color}" style="border-radius:8px;background:${color}"><a href="${href}" style="display:inline-block;padding:12px 24px;border:1px solid ${textColor};border-radius:8px;background:${color};color:${textColor};font-weight:600;text-decoration:none">${escapeHtml(button ?? '')}</a></td></tr></table>
<p style="margin:0 0 16px;font-size:14px;line-height:22px">${escapeHtml(linkLabel ?? '')}<br><a href="${href}" style="color:inherit;word-break:break-all">${href}</a></p>`;
}

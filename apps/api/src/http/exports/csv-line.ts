/**
 * Returns a CSV line (RFC 4180). A cell that a spreadsheet would interpret as a formula is prefixed with an apostrophe,
 * because names and user agents are untrusted input. Formulas can also begin with a full-width sign (OWASP, "CSV
 * Injection").
 */
export const csvLine = (cells: readonly (string | null)[]): string => `${cells.map(escapeCell).join()}\r\n`;

function escapeCell(text: string | null): string {
  const plain = /^[=+\-@＝＋－＠\t\r\n]/.test(text ?? '') ? `'${text}` : (text ?? '');
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

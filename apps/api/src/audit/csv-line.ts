/**
 * A line of a CSV file (RFC 4180). A cell that a spreadsheet would take for a formula begins with an apostrophe, for
 * names and user agents are chosen by strangers; full-width signs count as well (OWASP, "CSV Injection").
 */
export const csvLine = (cells: readonly (string | null)[]): string => `${cells.map(escapeCell).join()}\r\n`;

function escapeCell(text: string | null): string {
  const plain = /^[=+\-@＝＋－＠\t\r\n]/.test(text ?? '') ? `'${text}` : (text ?? '');
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

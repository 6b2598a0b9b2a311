/**
 * Returns a CSV file (RFC 4180). A cell that a spreadsheet would interpret as a formula is prefixed with an apostrophe,
 * because error messages contain untrusted text.
 */
export const formatCsv = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((cells) => `${cells.map((cell) => escapeCell(String(cell ?? ''))).join()}\r\n`).join('');

function escapeCell(text: string): string {
  const plain = /^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/**
 * Returns SQL that marks a customer as changed in Gatehouse, so that no import undoes the change (docs/adr/0104).
 * Does not change `updated_at`, which the API returns.
 */
export const markChangedSql = (customerId: string): string =>
  `UPDATE customers SET import_updated_at = NULL WHERE id = ${customerId} AND import_updated_at IS NOT NULL`;

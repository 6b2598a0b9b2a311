/**
 * SQL that marks the customer with an id as changed in Gatehouse, so that no import undoes the change (docs/adr/0104). It does not
 * change `updated_at`, which callers see.
 */
export const markChangedSql = (customerId: string): string =>
  `UPDATE customers SET import_updated_at = NULL WHERE id = ${customerId} AND import_updated_at IS NOT NULL`;

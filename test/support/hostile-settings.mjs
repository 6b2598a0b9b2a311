import { OWNER_ROLE, RUNTIME_ROLE } from '../../scripts/database-roles.mjs';

/** For each setting in session-settings.ts, a value that makes statements fail or return different results. */
export const hostileSettings = {
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Kathmandu',
  client_encoding: 'LATIN1',
  standard_conforming_strings: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  gin_fuzzy_search_limit: '1',
  default_transaction_isolation: 'serializable',
  exit_on_error: 'on',
  idle_session_timeout: '5s',
  transaction_timeout: '5s',
  lock_timeout: '1ms',
  statement_timeout: '2s',
  idle_in_transaction_session_timeout: '1s',
};

/** Options for a test's own connection, so that these settings do not end it. */
export const withoutTimeouts = [
  ...['exit_on_error=off', 'idle_session_timeout=0', 'idle_in_transaction_session_timeout=0'],
  ...['lock_timeout=0', 'statement_timeout=0'],
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * Returns a statement that sets the hostile values for both roles in a database, as an administrator could. Omits
 * settings that the server does not support.
 * @param {string} database
 */
export const setHostileSettingsSql = (database) => `
  DO $$
  DECLARE
    command text;
  BEGIN
    FOR command IN
      SELECT format('ALTER ROLE %I IN DATABASE %I SET %s TO %L', role, '${database}', name, value)
      FROM unnest('{${OWNER_ROLE}, ${RUNTIME_ROLE}}'::text[]) AS role,
        jsonb_each_text('${JSON.stringify(hostileSettings)}') AS setting (name, value)
      WHERE current_setting(name, true) IS NOT NULL
    LOOP
      EXECUTE command;
    END LOOP;
  END
  $$`;

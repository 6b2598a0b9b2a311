// Raw SQL: reading and changing session settings.
import { arrayOf, boolean, statement, text } from '../sql/statements.js';

/**
 * The settings that statements and their results depend on. A database or a role can override them (`ALTER DATABASE …
 * SET`, `ALTER ROLE … SET`) for its sessions, so every connection sets these values. ADR 0087 lists the settings that
 * stay with the operator. Values are written as PostgreSQL returns them. A new entry requires a hostile value for the
 * tests (test/support/hostile-settings.mjs).
 */
export const sessionSettings = {
  // pg parses times only in this format, and returns null for others.
  DateStyle: 'ISO, MDY',
  // pg parses intervals only in this format. It also determines whether the hours in '-1 day 02:00' are negative.
  IntervalStyle: 'postgres',
  // The time zone for the start of a day and for times in JSON.
  TimeZone: 'UTC',
  // pg decodes all text as UTF-8.
  client_encoding: 'UTF8',
  // A backslash in a literal is an ordinary character. Literals in migrations and from format('%L') rely on this.
  standard_conforming_strings: 'on',
  // The text format for bytea values, such as in JSON and comparisons, is hexadecimal.
  bytea_output: 'hex',
  // Floating-point numbers, such as times in seconds, keep all digits.
  extra_float_digits: '1',
  // pg sends arrays as text, in which NULL is the null value and not a string.
  array_nulls: 'on',
  // A comparison with a literal NULL is never true.
  transform_null_equals: 'off',
  // Names from the catalog, such as partition names, are compared with unquoted names.
  quote_all_identifiers: 'off',
  // A GIN index scan, such as for a search, returns all rows instead of random ones.
  gin_fuzzy_search_limit: '0',
  // A statement that waited for a lock continues with the new row. At the other isolation levels, it fails.
  default_transaction_isolation: 'read committed',
  // An expected error, such as a unique violation, does not end the connection.
  exit_on_error: 'off',
} as const;

/**
 * Settings that only a superuser can change, so they are only checked. With `replica`, PostgreSQL runs neither the
 * trigger that protects the audit log nor foreign key checks.
 */
const superuserSettings = { session_replication_role: 'origin' };

/** Limits that would end a session or a transaction at any time. Gatehouse has its own connection timeouts. */
export const sessionLimits = {
  // The pool and LISTEN keep idle connections open.
  idle_session_timeout: 0,
  // PostgreSQL 17 or later. Each statement in a transaction already has a limit.
  transaction_timeout: 0,
};

/** The first major version of each setting that PostgreSQL 15 lacks. */
const firstVersions: Readonly<Record<string, number>> = { transaction_timeout: 17 };

/** Timeouts in ms, or 0 for none. */
export type Timeouts = Readonly<Record<string, number>>;

/**
 * Returns statements that apply the session settings. They need no snapshot, which some inherited settings would
 * prevent.
 */
export const setSessionSql = (timeouts: Timeouts, majorVersion: number): string =>
  Object.entries({ ...timeouts, ...sessionLimits, ...sessionSettings })
    .filter(([name]) => majorVersion >= (firstVersions[name] ?? 0))
    .map(([name, value]) => `SET ${name} TO '${value}'`)
    .join('; ');

/**
 * The parameters for a connection to a pooler. PgBouncer applies them to each transaction's server connection.
 * Without them, it would apply the values from the first server connection that it opened. It supports no other
 * parameters.
 */
export const poolerParameters: Readonly<Record<string, string>> = {
  DateStyle: sessionSettings.DateStyle,
  TimeZone: sessionSettings.TimeZone,
  standard_conforming_strings: sessionSettings.standard_conforming_strings,
};

const checked = Object.entries({ ...sessionSettings, ...superuserSettings });

/** SQL for the checked settings whose value in this session differs from the required one. */
const DIFFERING_SETTINGS = `(VALUES ${checked.map(([name, value]) => `('${name}', '${value}')`).join(', ')}) AS s (name, expected)
  WHERE current_setting(s.name) <> s.expected`;

/** Reads whether the session accepts writes, and describes each setting whose value differs. */
export const readSession = statement(
  {
    /** True on a standby, and on a server or database that was set to read-only. */
    isReadOnly: boolean,
    settingProblems: arrayOf(text),
  },
  `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly",
     ARRAY(SELECT format('%s is "%s" instead of "%s"', s.name, current_setting(s.name), s.expected) FROM ${DIFFERING_SETTINGS})
       AS "settingProblems"`,
);

/**
 * Ends a pooler's server connection that was opened before its role had the settings. This disconnects no other
 * client, because a pooler in transaction mode does not share the connection during the statement.
 */
export const endOutdatedConnection = statement(
  { isEnded: boolean },
  `SELECT pg_terminate_backend(pg_backend_pid()) AS "isEnded" WHERE EXISTS (SELECT FROM ${DIFFERING_SETTINGS})`,
);

/**
 * Selects the statements that store settings for the current role in this database. A timeout `$1`, such as
 * `lock_timeout=2250`, is stored if the role's value differs, and a setting `$2` with the value `$3` only if the
 * session's value differs as well.
 */
export const DIFFERING_ROLE_SETTINGS = `
  WITH stored AS (
      SELECT setting FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) AS setting
      WHERE d.datname = current_database() AND s.setrole = current_user::regrole
    ),
    wanted AS (
      SELECT split_part(timeout, '=', 1) AS name, split_part(timeout, '=', 2) AS value FROM unnest($1::text[]) AS timeout
      UNION ALL SELECT name, value FROM unnest($2::text[], $3::text[]) AS s (name, value)
      WHERE current_setting(name, true) <> value
    )
  SELECT format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %s TO %L', current_database(), name, value) AS sql FROM wanted
  WHERE format('%s=%s', name, value) NOT IN (SELECT setting FROM stored)`;

import type { Gatehouse } from '@gatehouse/server';
import type { Cli } from '../cli.js';
import { usageError } from '../cli-error.js';
import { printNote } from '../output.js';
import type { Reason } from './reasons.js';
import type { SourceRecord } from './source.js';

/** The values for `--set-mfa`. */
export const mfaChoices = ['optional', 'required'] as const;
type MfaChoice = (typeof mfaChoices)[number];

/** The project setting `mfa`. */
export type Mfa = 'off' | MfaChoice;

/**
 * The reason why an imported authenticator app has no effect, by project setting `mfa`; `unknown` if the key cannot
 * read it.
 */
const unusedApp: Readonly<Record<'off' | 'unknown', Reason>> = {
  off: {
    reason: 'The app is imported, but no sign-in requires its code, because the project has mfa "off"',
    remedy:
      'Set the project setting mfa to optional or required, or run the command again with --set-mfa optional',
  },
  unknown: {
    reason: 'The app is imported, but the key cannot read whether the project requires second factors',
    remedy: 'Check that the project setting mfa is not "off", or use a key with the scope project:read',
  },
};

const UNUSED = new Set(Object.values(unusedApp).map(({ reason }) => reason));

export interface MfaRequest {
  projectId: string | undefined;
  /** The project's setting; null if the key cannot read it. */
  mfa: Mfa | null;
  /** The value for `--set-mfa`. */
  wanted: MfaChoice | undefined;
  dryRun: boolean;
}

/** The project setting `mfa` after an import. */
export interface PlannedMfa {
  mfa: Mfa | null;
  /**
   * Changes the setting if necessary. Call it after the import, so that a failed import does not change the setting.
   * @throws GatehouseError
   */
  apply: () => Promise<void>;
}

/**
 * Plans the change to the project setting `mfa` if `--set-mfa` is passed, and prints a note if second factors in the
 * files have no effect, or if their effect is unknown. A project that already has `required` is not changed.
 * @throws CliError if the setting cannot be read, and GatehouseError if the key cannot change it
 */
export async function planMfa(
  cli: Cli,
  client: Gatehouse,
  { projectId, mfa, wanted, dryRun }: MfaRequest,
): Promise<PlannedMfa> {
  const unchanged = { mfa, apply: () => Promise.resolve() };
  if (wanted === undefined) {
    if (mfa === 'off')
      await printNote(
        cli,
        'The project has mfa "off": authenticator apps in the files are imported, but no sign-in requires their codes. ' +
          'To require them, pass --set-mfa optional.',
      );
    if (mfa === null)
      await printNote(
        cli,
        'The key lacks the scope project:read, so it is not known whether the project requires second factors.',
      );
    return unchanged;
  }
  if (mfa === null || projectId === undefined)
    throw usageError('--set-mfa requires a key with the scopes project:read and project:write.');
  if (mfa === wanted || mfa === 'required') return unchanged;
  if (dryRun) {
    await printNote(cli, `The import would change the project setting mfa from "${mfa}" to "${wanted}".`);
    return { ...unchanged, mfa: wanted };
  }
  const update = (value: Mfa) =>
    client.projects.update(projectId, { settings: { mfa: value } }, { signal: cli.signal });
  // Writes the current value, so that a key that cannot change the project fails before the import.
  await update(mfa);
  const apply = async (): Promise<void> => {
    await update(wanted);
    await printNote(cli, `Changed the project setting mfa from "${mfa}" to "${wanted}".`);
  };
  return { mfa: wanted, apply };
}

/**
 * Adds an entry to the record if no sign-in will require the customer's authenticator app.
 * @param mfa the project's setting; null if it is unknown
 */
export function reportUnusedApp(record: SourceRecord, mfa: Mfa | null): SourceRecord {
  const { customer, leftOut } = record;
  // The customer's setting takes precedence over the project's.
  if (!customer?.totpSecret || customer.mfa === 'required') return record;
  if (mfa === 'optional' || mfa === 'required') return record;
  return { ...record, leftOut: [...leftOut, { field: 'totpSecret', ...unusedApp[mfa ?? 'unknown'] }] };
}

/** Returns true if a customer's authenticator app has no effect. */
export const hasUnusedApp = ({ leftOut }: SourceRecord): boolean =>
  leftOut.some(({ reason }) => UNUSED.has(reason));

import type { Gatehouse } from '@gatehouse/server';
import type { Cli } from '../cli.js';
import { usageError } from '../cli-error.js';
import { printNote } from '../output.js';
import type { Reason } from './reasons.js';
import type { SourceRecord } from './source.js';

/** The values of `--set-mfa`. */
export const mfaChoices = ['optional', 'required'] as const;
type MfaChoice = (typeof mfaChoices)[number];

/** The setting `mfa` of a project. */
export type Mfa = 'off' | MfaChoice;

/** Why an imported authenticator app has no effect, by the setting `mfa`; `unknown` if the key cannot read it. */
const unusedApp: Readonly<Record<'off' | 'unknown', Reason>> = {
  off: {
    reason: 'The app is imported, but no sign-in requires its code, because the project has mfa "off"',
    remedy:
      'Set mfa of the project to optional or required, or run the command again with --set-mfa optional',
  },
  unknown: {
    reason: 'The app is imported, but the key cannot read whether the project requires second factors',
    remedy: 'Check that mfa of the project is not "off", or use a key with the scope project:read',
  },
};

const UNUSED = new Set(Object.values(unusedApp).map(({ reason }) => reason));

export interface MfaRequest {
  projectId: string | undefined;
  /** The setting of the project; null if the key cannot read it. */
  mfa: Mfa | null;
  /** The value of `--set-mfa`. */
  wanted: MfaChoice | undefined;
  dryRun: boolean;
}

/**
 * Changes the setting `mfa` of the project if `--set-mfa` is passed, and prints whether second factors of the files take effect.
 * A project that already requires more is not changed.
 * @returns the setting during the import
 * @throws CliError if the setting cannot be read, and GatehouseError if it cannot be changed
 */
export async function prepareMfa(
  cli: Cli,
  client: Gatehouse,
  { projectId, mfa, wanted, dryRun }: MfaRequest,
): Promise<Mfa | null> {
  if (wanted === undefined) {
    if (mfa === 'off')
      await printNote(
        cli,
        'The project has mfa "off": authenticator apps of the files are imported, but no sign-in requires their codes. ' +
          'To require them, pass --set-mfa optional.',
      );
    if (mfa === null)
      await printNote(
        cli,
        'The key lacks the scope project:read, so it is not known whether the project requires second factors.',
      );
    return mfa;
  }
  if (mfa === null || projectId === undefined)
    throw usageError('--set-mfa requires a key with the scopes project:read and project:write.');
  if (mfa === wanted || mfa === 'required') return mfa;
  if (dryRun)
    await printNote(cli, `The import would change mfa of the project from "${mfa}" to "${wanted}".`);
  else {
    await client.projects.update(projectId, { settings: { mfa: wanted } }, { signal: cli.signal });
    await printNote(cli, `Changed mfa of the project from "${mfa}" to "${wanted}".`);
  }
  return wanted;
}

/** Adds that no sign-in requires the authenticator app of a customer. @param mfa the setting of the project, or null */
export function reportUnusedApp(record: SourceRecord, mfa: Mfa | null): SourceRecord {
  const { customer, leftOut } = record;
  // The setting of a customer takes precedence over the setting of the project.
  if (!customer?.totpSecret || customer.mfa === 'required') return record;
  if (mfa === 'optional' || mfa === 'required') return record;
  return { ...record, leftOut: [...leftOut, { field: 'totpSecret', ...unusedApp[mfa ?? 'unknown'] }] };
}

/** Returns whether the authenticator app of a customer has no effect. */
export const hasUnusedApp = ({ leftOut }: SourceRecord): boolean =>
  leftOut.some(({ reason }) => UNUSED.has(reason));

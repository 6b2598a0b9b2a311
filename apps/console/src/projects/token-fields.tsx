import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { projectLabels } from './project-labels';
import { DurationSetting, ListSetting, type SectionProps } from './settings-fields';

/** Options for how long the previous refresh token remains usable, in seconds. The API accepts up to 300. */
const graceSeconds = [0, 10, 30, 60, 300];

/** Renders the setting for the refresh grace period. */
function RefreshGraceSetting({ form }: SectionProps): ReactNode {
  const { refreshGrace } = form.values;
  const seconds = new Set([...graceSeconds, ...(typeof refreshGrace === 'number' ? [refreshGrace] : [])]);
  return (
    <Select
      label={projectLabels.refreshGrace}
      description="How long the previous refresh token can be used again, in case a response was lost. It yields the same new tokens. Using it later ends the session. Default: until the new refresh token is used."
      allowDeselect={false}
      styles={{ wrapper: { maxWidth: 280 } }}
      readOnly={form.isReadOnly}
      data={[
        { value: 'until_used', label: 'Until the new token is used' },
        ...[...seconds]
          .sort((one, other) => one - other)
          .map((count) => ({ value: String(count), label: count === 0 ? 'Not at all' : `${count} seconds` })),
      ]}
      value={String(refreshGrace)}
      error={form.fieldError('refreshGrace')}
      onChange={(value) => form.setValue('refreshGrace', value === 'until_used' ? value : Number(value))}
    />
  );
}

function SigningAlgorithmSetting({ form }: SectionProps): ReactNode {
  return (
    <Select
      label={projectLabels.signingAlgorithm}
      description="Algorithm that signs new access tokens. Before you change it, configure your servers and gateways to accept both algorithms. Default: ES256."
      allowDeselect={false}
      styles={{ wrapper: { maxWidth: 280 } }}
      readOnly={form.isReadOnly}
      data={['ES256', 'RS256']}
      value={form.values.signingAlgorithm}
      error={form.fieldError('signingAlgorithm')}
      onChange={(algorithm) => algorithm && form.setValue('signingAlgorithm', algorithm)}
    />
  );
}

function TokenSubjectSetting({ form }: SectionProps): ReactNode {
  return (
    <Select
      label={projectLabels.tokenSubject}
      description="Field used as the sub of access tokens. With the external ID, customers keep their sub from the previous system. You cannot change this after any customer has signed in. Default: Gatehouse ID."
      allowDeselect={false}
      styles={{ wrapper: { maxWidth: 280 } }}
      readOnly={form.isReadOnly}
      data={[
        { value: 'id', label: 'Gatehouse ID' },
        { value: 'externalId', label: 'External ID' },
      ]}
      value={form.values.tokenSubject}
      error={form.fieldError('tokenSubject')}
      onChange={(subject) => subject && form.setValue('tokenSubject', subject)}
    />
  );
}

export function TokenFields({ form }: SectionProps): ReactNode {
  return (
    <>
      <DurationSetting
        form={form}
        name="accessTokenTtl"
        min={60}
        max={86_400}
        rangeText="1 minute to 24 hours"
        description="Default: 1 hour."
      />
      <DurationSetting
        form={form}
        name="refreshIdleTtl"
        min={300}
        max={31_536_000}
        rangeText="5 minutes to 365 days"
        description="Default: 30 days."
        otherError="Must not be longer than the maximum session lifetime."
      />
      <DurationSetting
        form={form}
        name="refreshAbsoluteTtl"
        min={300}
        max={63_072_000}
        rangeText="5 minutes to 730 days"
        description="Must not be shorter than the session idle timeout. Default: 90 days."
        otherError="Must not be shorter than the session idle timeout."
      />
      <RefreshGraceSetting form={form} />
      <ListSetting
        form={form}
        name="accessTokenClaims"
        description="At most 10 fields to include in access tokens, one per line: externalId, email, firstName, lastName, or keys of the public metadata. Keep their values below 3 KiB in total, because browsers and proxies reject large tokens."
        placeholder="plan"
      />
      <SigningAlgorithmSetting form={form} />
      <TokenSubjectSetting form={form} />
    </>
  );
}

import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { IntegerInput } from './integer-input';
import { projectLabels } from './project-labels';
import type { SectionProps } from './settings-fields';

export function SecondFactorFields({ form }: SectionProps): ReactNode {
  const { mfa, mfaGraceDays } = form.values;
  const graceError = form.fieldError('mfaGraceDays');
  return (
    <>
      <Select
        label={projectLabels.mfa}
        description="Off: sign-ins require no authenticator, and customers keep those that they have. Optional: customers can add an authenticator, which their sign-ins then require. Required: customers without an authenticator add one at the next sign-in."
        allowDeselect={false}
        styles={{ wrapper: { maxWidth: 280 } }}
        readOnly={form.isReadOnly}
        data={[
          { value: 'off', label: 'Off' },
          { value: 'optional', label: 'Optional' },
          { value: 'required', label: 'Required' },
        ]}
        value={mfa}
        error={form.fieldError('mfa')}
        onChange={(value) => value && form.setValue('mfa', value)}
      />
      {(mfa === 'required' || graceError) && (
        <IntegerInput
          label={projectLabels.mfaGraceDays}
          description="0 to 90. Existing sessions without a second factor can be refreshed for this many days after the setting changes to Required. After that, the customer must sign in again. Default: 14."
          styles={{ wrapper: { maxWidth: 140 } }}
          readOnly={form.isReadOnly}
          value={mfaGraceDays}
          error={graceError}
          // An empty field is not converted to 0, which is a valid value. The API rejects it.
          onChange={(days) => form.setValue('mfaGraceDays', days as number)}
        />
      )}
    </>
  );
}

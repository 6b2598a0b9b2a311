import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import {
  ALLOW_FAST_HASHES,
  UPDATE,
  type OptionText,
} from '../../../../packages/cli/src/console-shared/option-texts';
import type { ImportOptions } from './import-options';

interface ImportOptionChoicesProps {
  options: ImportOptions;
  onChange: (options: ImportOptions) => void;
}

/** Renders an import's options, with the explanations from the command line. */
export function ImportOptionChoices({ options, onChange }: ImportOptionChoicesProps): ReactNode {
  const bind = (name: keyof ImportOptions) => ({
    checked: options[name],
    onChange: (event: { currentTarget: HTMLInputElement }): void =>
      onChange({ ...options, [name]: event.currentTarget.checked }),
  });
  return (
    <>
      <Checkbox {...toTexts(UPDATE)} {...bind('update')} />
      <Checkbox {...toTexts(ALLOW_FAST_HASHES)} {...bind('allowFastHashes')} />
      <Checkbox
        label="Emit a customer.created event for each customer"
        description="Endpoints that subscribe to it receive one webhook per customer."
        {...bind('emitEvents')}
      />
    </>
  );
}

const toTexts = ({ action, consequence }: OptionText) => ({
  label: capitalize(action),
  description: `${capitalize(consequence)}.`,
});

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

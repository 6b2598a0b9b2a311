import type { ReactNode } from 'react';
import { IntegerInput } from './integer-input';
import { projectLabels } from './project-labels';
import type { ProjectFields, ProjectForm } from './use-project-form';

/** A setting that is a positive integer. */
export interface NumberField {
  name: Extract<keyof ProjectFields, `${'limits' | 'mailLimits'}.${string}`>;
  description: string;
}

/** Renders an input for each setting. */
export function NumberFields({ form, fields }: { form: ProjectForm; fields: NumberField[] }): ReactNode {
  return fields.map(({ name, description }) => (
    <IntegerInput
      key={name}
      label={projectLabels[name]}
      description={description}
      thousandSeparator=","
      maw={320}
      readOnly={form.isReadOnly}
      value={form.values[name] || ''}
      error={form.fieldError(name)}
      onChange={(limit) => form.setValue(name, Number(limit))}
    />
  ));
}

import { NumberInput, type NumberInputProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** An input for a non-negative integer. The API checks its range. */
export const IntegerInput = (props: NumberInputProps): ReactNode => (
  <NumberInput allowDecimal={false} allowNegative={false} clampBehavior="none" {...props} />
);

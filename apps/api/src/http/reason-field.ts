import { TextField } from './fields.js';

/** The reason for an action of support. */
export const ReasonField = (description: string, { optional = false } = {}): PropertyDecorator =>
  TextField({
    optional,
    description: `${description}. Recorded in the audit log, so it must not contain personal data`,
    example: 'Ticket 4711',
    minLength: 1,
    maxLength: 500,
  });

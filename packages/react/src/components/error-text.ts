import type { GatehouseError } from '@gatehouse/js';
import type { Texts } from '../localization/texts.js';
import { fill } from '../use-texts.js';

/** Error messages for the entire form and by field name. */
export interface FormErrors {
  message?: string | undefined;
  fields: Record<string, string>;
}

/** The form fields that errors can refer to, by error code. */
const FIELDS: Record<string, string[]> = {
  weak_password: ['newPassword', 'password'],
  email_already_registered: ['email'],
  wrong_password: ['password'],
  invalid_code: ['code'],
};

/**
 * Returns the message for an error. An error without a message is a problem with the page or the settings, such as a
 * redirect URL that is not allowed, so it is also reported as an uncaught error.
 */
export function errorText(texts: Texts, error: unknown): string {
  const { code = '', retryAfter, reasons = [] } = error as Partial<GatehouseError>;
  if (code === 'weak_password' && reasons.length > 0)
    return reasons.map((reason) => texts.reasons[reason] ?? texts.errors.weak_password).join(' ');
  const text = texts.errors[code];
  if (!text) reportError(error);
  return fill(text ?? texts.errors.unknown, { wait: waitInWords(texts, retryAfter ?? 0) });
}

/**
 * Returns the messages for a form. If the form has the field that the error refers to, the message is for this field,
 * otherwise for the entire form.
 * @param names the form field names
 */
export function formErrors(texts: Texts, error: unknown, names: string[]): FormErrors {
  const { code = '', fields: invalid = [] } = error as Partial<GatehouseError>;
  const fields: Record<string, string> = {};
  for (const { field, code: problem } of invalid)
    if (names.includes(field))
      fields[field] =
        texts.errors[`${field}_${problem}`] ?? texts.errors[`${field}_invalid`] ?? texts.errors.invalid;
  const name = FIELDS[code]?.find((each) => names.includes(each));
  if (name) fields[name] = errorText(texts, error);
  return Object.keys(fields).length > 0 ? { fields } : { message: errorText(texts, error), fields };
}

/** Formats a duration, rounded up to minutes, or to hours if it is two hours or longer. @param seconds the duration */
function waitInWords({ language }: Texts, seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  const isLong = minutes >= 120;
  const unit = isLong ? 'hour' : 'minute';
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(isLong ? Math.ceil(minutes / 60) : minutes);
}

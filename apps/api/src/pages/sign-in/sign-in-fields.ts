import { escapeHtml } from '@gatehouse/platform';
import { form, hiddenInputs } from '../page.js';

export interface TextInput {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  autocomplete: string;
  /** True for a numeric code. Default: false. */
  isNumeric?: boolean;
  value?: string;
  minLength?: number;
  hint?: string;
  hasFocus?: boolean;
  /** True if the problem on the page concerns this input. Default: false. */
  isInvalid?: boolean;
}

/** Returns a labeled input. Its name is also its id, so names must be unique within a page. */
export function textInput({
  name,
  label,
  type = 'text',
  autocomplete,
  isNumeric = false,
  value = '',
  minLength,
  hint,
  hasFocus = false,
  isInvalid = false,
}: TextInput): string {
  const described = [...(isInvalid ? ['problem'] : []), ...(hint ? [`${name}-hint`] : [])];
  const attributes = [
    `id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required`,
    ...(value ? [`value="${escapeHtml(value)}"`] : []),
    ...(isNumeric ? ['inputmode="numeric"'] : []),
    ...(type === 'text' ? ['autocapitalize="none" spellcheck="false"'] : []),
    ...(minLength === undefined ? [] : [`minlength="${minLength}"`]),
    ...(described.length > 0 ? [`aria-describedby="${described.join(' ')}"`] : []),
    ...(isInvalid ? ['aria-invalid="true"'] : []),
    ...(hasFocus ? ['autofocus'] : []),
  ];
  const help = hint ? `<p class="hint" id="${name}-hint">${escapeHtml(hint)}</p>` : '';
  return `<div class="field"><label for="${name}">${escapeHtml(label)}</label><input ${attributes.join(' ')}>${help}</div>`;
}

/** Returns a form's secondary submit button. It posts the inputs to another path without validation. */
export const secondarySubmit = (path: string, label: string): string =>
  `<button type="submit" class="secondary" formaction="${escapeHtml(path)}" formnovalidate>${escapeHtml(label)}</button>`;

/** Returns a link that is styled as a secondary button. */
export const secondaryLink = (href: string, label: string): string =>
  `<a class="button secondary" href="${escapeHtml(href)}">${escapeHtml(label)}</a>`;

/** Returns a line that consists of an optional question and a link. */
export const linkLine = (href: string, label: string, question = ''): string =>
  `<p class="more">${question ? `${escapeHtml(question)} ` : ''}<a href="${escapeHtml(href)}">${escapeHtml(label)}</a></p>`;

/** Returns a divider between two groups of sign-in methods. */
export const divider = (text: string): string => `<p class="divider"><span>${escapeHtml(text)}</span></p>`;

export interface PasskeyForm {
  /** Path to which the browser's response is posted. */
  path: string;
  /** Path from which the options are requested. */
  optionsPath: string;
  label: string;
  /** `get` uses a passkey, `create` adds one. */
  ceremony: 'get' | 'create';
  fields?: Record<string, string>;
  /** Message to show if the browser returns no passkey. */
  failure: string;
}

/** Returns a form with a passkey button. It is hidden until the script shows it, because passkeys require a script. */
export function passkeyForm({
  path,
  optionsPath,
  label,
  ceremony,
  fields = {},
  failure,
}: PasskeyForm): string {
  const data = `data-passkey="${ceremony}" data-options="${escapeHtml(optionsPath)}"`;
  const inputs = hiddenInputs({ ...fields, response: '' });
  return `<div class="passkey" hidden ${data}>${form(path, label, inputs, { isSecondary: true })}<p class="problem" role="alert" hidden>${escapeHtml(failure)}</p></div>`;
}

'use client';
import {
  createContext,
  useContext,
  useId,
  useRef,
  useState,
  type ComponentProps,
  type ReactNode,
} from 'react';
import type { Texts } from '../localization/texts.js';
import { useTexts } from '../use-texts.js';
import { Button } from './button.js';
import { formErrors, type FormErrors } from './error-text.js';
import { Alert } from './panel.js';

const ErrorsContext = createContext<Record<string, string>>({});

export interface FormProps {
  /** Label for the button that submits the form. */
  submitLabel: string;
  /** Called with the field values by name. If it throws, the error is shown and the fields keep their values. */
  onSubmit: (values: Record<string, string>) => Promise<unknown>;
  variant?: 'primary' | 'secondary' | 'danger';
  /** A second button whose action uses only `fields`. */
  other?: { label: string; fields: string[]; onSubmit: (values: Record<string, string>) => Promise<unknown> };
  children?: ReactNode;
}

/** A form that validates its fields and shows localized errors. */
export function Form({ submitLabel, onSubmit, variant = 'primary', other, children }: FormProps) {
  const texts = useTexts();
  const form = useRef<HTMLFormElement>(null);
  const isRunning = useRef(false);
  /** Label of the button whose action is running. */
  const [busy, setBusy] = useState<string>();
  const [errors, setErrors] = useState<FormErrors>({ fields: {} });

  const showErrors = (next: FormErrors): void => {
    setErrors(next);
    const name = Object.keys(next.fields)[0];
    if (name) (form.current?.elements.namedItem(name) as HTMLElement | null)?.focus();
  };
  const submit = async (label: string, work: FormProps['onSubmit'], names?: string[]): Promise<void> => {
    if (isRunning.current || !form.current) return;
    const fields = invalidFields(texts, form.current, names);
    showErrors({ fields });
    if (Object.keys(fields).length > 0) return;
    isRunning.current = true;
    setBusy(label);
    const values = Object.fromEntries(new FormData(form.current)) as Record<string, string>;
    try {
      await work(values);
    } catch (error) {
      showErrors(formErrors(texts, error, Object.keys(values)));
    } finally {
      isRunning.current = false;
      setBusy(undefined);
    }
  };

  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit(submitLabel, onSubmit);
      }}
    >
      <Alert>{errors.message}</Alert>
      <ErrorsContext.Provider value={errors.fields}>{children}</ErrorsContext.Provider>
      <div className="gh-actions">
        <Button type="submit" variant={variant} isBusy={busy === submitLabel}>
          {submitLabel}
        </Button>
        {other ? (
          <Button
            isBusy={busy === other.label}
            onClick={() => void submit(other.label, other.onSubmit, other.fields)}
          >
            {other.label}
          </Button>
        ) : null}
      </div>
    </form>
  );
}

/**
 * Returns the errors for fields that the browser considers invalid, by name.
 * @param names the fields to check. Default: all
 */
function invalidFields({ errors }: Texts, form: HTMLFormElement, names?: string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const input of form.querySelectorAll<HTMLInputElement>('input:invalid')) {
    if (names && !names.includes(input.name)) continue;
    const text = input.validity.valueMissing ? errors.required : errors[`${input.type}_invalid`];
    fields[input.name] = text ?? errors.invalid;
  }
  return fields;
}

export interface FieldProps extends ComponentProps<'input'> {
  name: string;
  label: string;
  hint?: ReactNode;
}

/** A labeled input. Required unless `required` is false. */
export function Field({ label, hint, children, ...props }: FieldProps) {
  const id = useId();
  const error = useContext(ErrorsContext)[props.name];
  const notesId = `${id}-notes`;
  return (
    <div className="gh-field">
      <label htmlFor={id}>{label}</label>
      <div className="gh-input">
        <input id={id} required aria-invalid={Boolean(error)} aria-describedby={notesId} {...props} />
        {children}
      </div>
      <div id={notesId}>
        {error ? (
          <p className="gh-error" role="alert">
            {error}
          </p>
        ) : null}
        {hint ? <p className="gh-hint">{hint}</p> : null}
      </div>
    </div>
  );
}

/** A password field, with a button that shows the password. */
export function PasswordField(props: FieldProps) {
  const texts = useTexts();
  const [isShown, setIsShown] = useState(false);
  return (
    <Field {...props} type={isShown ? 'text' : 'password'} autoCapitalize="none" spellCheck={false}>
      <button
        type="button"
        className="gh-reveal"
        aria-label={isShown ? texts.hidePassword : texts.showPassword}
        onClick={() => setIsShown(!isShown)}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M2 12s3.5-6.5 10-6.5S22 12 22 12s-3.5 6.5-10 6.5S2 12 2 12Z" />
          <circle cx="12" cy="12" r="3" />
          {isShown ? null : <path d="M4 20 20 4" />}
        </svg>
      </button>
    </Field>
  );
}

/** Removes spaces from a code: some apps display codes with spaces. */
export const digits = (code: string): string => code.replace(/\s/g, '');

/** A field for a numeric code from an email or an app. */
export const CodeField = (props: Omit<FieldProps, 'name'>) => (
  <Field
    name="code"
    inputMode="numeric"
    autoComplete="one-time-code"
    autoCapitalize="none"
    spellCheck={false}
    {...props}
  />
);

/** A field for a recovery code. */
export const RecoveryCodeField = (props: Pick<FieldProps, 'autoFocus'>) => (
  <Field
    name="code"
    label={useTexts().recoveryCode}
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    {...props}
  />
);

'use client';
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { useTexts } from '../use-texts.js';
import { Button } from './button.js';
import { Form, type FormProps } from './form.js';

export interface DialogProps {
  title: string;
  text?: ReactNode;
  onClose: () => void;
  /** True if the Escape key must not close the dialog, because its content cannot be shown again. */
  isPersistent?: boolean;
  /** True for a wide dialog with a close button. */
  isWide?: boolean;
  children?: ReactNode;
}

/** A modal dialog that is open while it is rendered. */
export function Dialog({ title, text, onClose, isPersistent, isWide, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const { close } = useTexts();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    (element?.querySelector<HTMLElement>('input:not([hidden])') ?? heading.current)?.focus();
    // Closes the dialog before the element is removed, so that the browser restores focus.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? 'gh-dialog gh-wide' : 'gh-dialog'}
      aria-labelledby={id}
      onCancel={(event) => isPersistent && event.preventDefault()}
      // StrictMode closes and reopens the dialog, so this event can arrive while it is open.
      onClose={() => dialog.current && !dialog.current.open && onClose()}
    >
      <h2 className="gh-title" id={id} tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {isWide ? (
        <button type="button" className="gh-close" aria-label={close} onClick={onClose}>
          ×
        </button>
      ) : null}
      {text ? <p className="gh-text">{text}</p> : null}
      {children}
    </dialog>
  );
}

export type FormDialogProps = Omit<DialogProps, 'isPersistent' | 'isWide'> & Omit<FormProps, 'other'>;

/** A modal dialog with a form. Closes when `onSubmit` succeeds. */
export function FormDialog({ title, text, onClose, onSubmit, ...form }: FormDialogProps) {
  const texts = useTexts();
  const submit: FormProps['onSubmit'] = async (values) => {
    await onSubmit(values);
    onClose();
  };
  const cancel = { label: texts.cancel, fields: [], onSubmit: () => Promise.resolve(onClose()) };
  return (
    <Dialog title={title} text={text} onClose={onClose}>
      <Form {...form} onSubmit={submit} other={cancel} />
    </Dialog>
  );
}

export interface FormDialogButtonProps
  extends
    Omit<FormDialogProps, 'onClose' | 'title' | 'submitLabel'>,
    Partial<Pick<FormDialogProps, 'title' | 'submitLabel'>> {
  /** Button label, and default for `title` and `submitLabel`. */
  label: string;
  /** The item that the action changes, so that screen readers can distinguish buttons with the same label. */
  subject?: string;
}

/** A button that opens a dialog with a form. */
export function FormDialogButton({ label, subject, ...dialog }: FormDialogButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        variant={(!subject && dialog.variant) || 'secondary'}
        aria-label={subject && `${label}: ${subject}`}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </Button>
      {isOpen ? (
        <FormDialog title={label} submitLabel={label} {...dialog} onClose={() => setIsOpen(false)} />
      ) : null}
    </>
  );
}

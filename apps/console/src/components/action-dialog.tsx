import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent, type ReactNode, type RefObject } from 'react';
import { toProblem, type Problem } from '../http/problem';
import { UntrustedText } from './untrusted-text';
import { ProblemAlert } from './problem-alert';

interface ActionDialogProps {
  open: boolean;
  onClose: () => void;
  /** A question or a command: "Discard this delivery?" */
  title: string;
  /** Description of the effects, and form fields if there are any. */
  children?: ReactNode;
  /** The verb on the button: "Discard". */
  confirmLabel: string;
  /** Replaces "Cancel" if the confirmed action is itself a cancellation. */
  cancelLabel?: string;
  danger?: boolean;
  /** Shows a field for a reason, which is passed to `onConfirm`. */
  requiresReason?: 'required' | 'optional';
  /** Text that must be typed to confirm, such as the name of the record to delete. */
  confirmationText?: string;
  /** Disables the button, for example while fields in `children` are empty. */
  disabled?: boolean;
  /** Returns true for errors that `children` render themselves. */
  hidesError?: (problem: Problem) => boolean;
  /** Makes the dialog wider, for forms. */
  size?: 'lg';
  /**
   * Performs the action. While it runs, it cannot be started again. If it throws, the error is shown and the
   * dialog stays open.
   */
  onConfirm: (reason: string) => Promise<unknown>;
}

/** Renders a dialog that requests confirmation, performs the action once and shows the error if it fails. */
export function ActionDialog(props: ActionDialogProps): ReactNode {
  // A ref, because a second click can arrive before a state change is rendered.
  const isSubmitting = useRef(false);
  return (
    <Modal
      opened={props.open}
      // The dialog stays open while the action runs, because it shows the outcome.
      onClose={() => isSubmitting.current || props.onClose()}
      // A click outside the dialog would lose the input.
      closeOnClickOutside={false}
      title={props.title}
      size={props.size}
    >
      {props.open && <ActionForm {...props} isSubmitting={isSubmitting} />}
    </Modal>
  );
}

/** Scrolls an element into view. In a long form, an error can appear outside the visible part. */
function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

function ActionForm(props: ActionDialogProps & { isSubmitting: RefObject<boolean> }): ReactNode {
  const { confirmLabel, danger, onClose, onConfirm, disabled, isSubmitting } = props;
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  useEffect(
    () => () => {
      isSubmitting.current = false;
    },
    [isSubmitting],
  );
  const isMissing =
    (props.requiresReason === 'required' && reason.trim() === '') ||
    (props.confirmationText !== undefined && typed.trim() !== props.confirmationText);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isSubmitting.current || isMissing || disabled) return;
    isSubmitting.current = true;
    setRunning(true);
    setError(null);
    try {
      await onConfirm(reason.trim());
      // `isSubmitting` remains true until the form is unmounted, so that further clicks are ignored.
      onClose();
    } catch (caught) {
      isSubmitting.current = false;
      setError(caught);
      setRunning(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        {props.children}
        {props.requiresReason && (
          <Textarea
            label="Reason"
            description="Recorded in the audit log. Do not enter personal data."
            required={props.requiresReason === 'required'}
            maxLength={500}
            autosize
            minRows={2}
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        )}
        {props.confirmationText !== undefined && (
          <TextInput
            label={
              <>
                Type <UntrustedText text={props.confirmationText} mono /> to confirm
              </>
            }
            autoComplete="off"
            spellCheck={false}
            data-autofocus={props.requiresReason ? undefined : true}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {error !== null && !props.hidesError?.(toProblem(error)) && (
          <div ref={scrollIntoView}>
            <ProblemAlert error={error} />
          </div>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={isRunning}>
            {props.cancelLabel ?? 'Cancel'}
          </Button>
          <Button
            type="submit"
            color={danger ? 'red.8' : undefined}
            loading={isRunning}
            disabled={isMissing || disabled}
          >
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

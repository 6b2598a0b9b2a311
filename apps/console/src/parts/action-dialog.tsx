import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent, type ReactNode, type RefObject } from 'react';
import { UntrustedText } from './untrusted-text';
import { ProblemAlert } from './problem-alert';

interface ActionDialogProps {
  open: boolean;
  onClose: () => void;
  /** A question or a command: "Discard this delivery?" */
  title: string;
  /** What will happen. Form fields may stand here too. */
  children?: ReactNode;
  /** The verb on the button: "Discard". */
  confirmLabel: string;
  /** In place of "Cancel", where that is what is to be confirmed. */
  cancelLabel?: string;
  danger?: boolean;
  /** Asks for a reason, which goes to `onConfirm`. */
  requiresReason?: 'required' | 'optional';
  /** What must be typed first, such as the name of what is deleted. */
  confirmationText?: string;
  /** Fields in `children` that are not filled yet. */
  disabled?: boolean;
  /** Wider than a question: for a form. */
  size?: 'lg';
  /** Does it. While it runs nothing can be pressed twice; what it throws is shown, and the dialog stays. */
  onConfirm: (reason: string) => Promise<unknown>;
}

/** Asks before something is done, does it once, and says why if it could not be done. */
export function ActionDialog(props: ActionDialogProps): ReactNode {
  // The state is drawn later than a second click may come.
  const isUnderWay = useRef(false);
  return (
    <Modal
      opened={props.open}
      // What has begun says here how it ended.
      onClose={() => isUnderWay.current || props.onClose()}
      // A click beside it would lose what was typed.
      closeOnClickOutside={false}
      title={props.title}
      size={props.size}
    >
      {props.open && <ActionForm {...props} isSubmitting={isUnderWay} />}
    </Modal>
  );
}

/** In a long form the error would appear below what is visible. */
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
      // Until it is gone it hears nothing more.
      onClose();
    } catch (thrown) {
      isSubmitting.current = false;
      setError(thrown);
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
            description="Recorded in the audit log."
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
        {error !== null && (
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
